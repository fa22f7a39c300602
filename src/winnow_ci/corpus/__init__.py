"""Where reference code comes from: folders and archives."""

from winnow_ci.corpus.collecting import Corpus, collect
from winnow_ci.corpus.directory import LEFT_OUT, CorpusFile, documents, read
from winnow_ci.corpus.kinds import is_archive
from winnow_ci.corpus.limits import Limits

__all__ = ["LEFT_OUT", "Corpus", "CorpusFile", "Limits", "collect", "documents", "is_archive", "read"]
