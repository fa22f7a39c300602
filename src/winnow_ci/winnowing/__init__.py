"""K-gram hashes and the selection of fingerprints, on plain arrays; knows nothing of languages, files or indexes."""

from winnow_ci.winnowing.schemes import kgram_hashes, run_hashes, select

__all__ = ["kgram_hashes", "run_hashes", "select"]
