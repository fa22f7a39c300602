"""Where reference code comes from: folders and archives."""

from winnow_ci.corpus.archive import ArchiveLimits, is_archive_content
from winnow_ci.corpus.collecting import Corpus, collect
from winnow_ci.corpus.directory import LEFT_OUT_FOLDERS, CorpusFile, documents, read_file

__all__ = [
    "LEFT_OUT_FOLDERS",
    "ArchiveLimits",
    "Corpus",
    "CorpusFile",
    "collect",
    "documents",
    "is_archive_content",
    "read_file",
]
