"""Where reference code comes from: folders and archives."""

from winnow_ci.corpus.archive import is_archive
from winnow_ci.corpus.archive_limits import ArchiveLimits
from winnow_ci.corpus.collecting import Corpus, collect
from winnow_ci.corpus.directory import LEFT_OUT, CorpusFile, documents, read

__all__ = ["LEFT_OUT", "ArchiveLimits", "Corpus", "CorpusFile", "collect", "documents", "is_archive", "read"]
