"""K-gram hashes and the selection of fingerprints, on plain arrays; knows nothing of languages, files or indexes."""

from winnow_ci.winnowing.information import GRAM, informative
from winnow_ci.winnowing.kgrams import among, kgram_hashes
from winnow_ci.winnowing.schemes import Scheme, select
from winnow_ci.winnowing.surprisal import (
    AVERAGE,
    COMMON,
    gram_bits,
    is_common,
    is_common_phrase,
    is_everyday,
    text_bits,
)

__all__ = [
    "AVERAGE",
    "COMMON",
    "GRAM",
    "Scheme",
    "among",
    "gram_bits",
    "informative",
    "is_common",
    "is_common_phrase",
    "is_everyday",
    "kgram_hashes",
    "select",
    "text_bits",
]
