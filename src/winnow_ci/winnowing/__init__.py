"""K-gram hashes and the selection of fingerprints, on plain arrays; knows nothing of languages, files or indexes."""

from winnow_ci.winnowing.information import GRAM, informative
from winnow_ci.winnowing.kgrams import kgram_hashes
from winnow_ci.winnowing.selection import SCHEMES, Scheme, select
from winnow_ci.winnowing.surprisal import AVERAGE, gram_bits, text_bits

__all__ = ["AVERAGE", "GRAM", "SCHEMES", "Scheme", "gram_bits", "informative", "kgram_hashes", "select", "text_bits"]
