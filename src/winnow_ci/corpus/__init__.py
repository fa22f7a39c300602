"""Where reference code comes from: so far, folders."""

from winnow_ci.corpus.directory import CorpusFile, collect, documents, read

__all__ = ["CorpusFile", "collect", "documents", "read"]
