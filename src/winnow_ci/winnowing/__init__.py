"""K-gram hashes and the selection of fingerprints, on plain arrays; knows nothing of languages, files or indexes."""

from winnow_ci.winnowing.information import GRAM, informative
from winnow_ci.winnowing.kgrams import kgram_hashes
from winnow_ci.winnowing.selection import SCHEMES, Scheme, select

__all__ = ["GRAM", "SCHEMES", "Scheme", "informative", "kgram_hashes", "select"]
