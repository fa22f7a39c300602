"""Where reference code comes from: folders, archives and installed packages."""

from winnow_ci.corpus.archive import ArchiveLimits, is_archive_content
from winnow_ci.corpus.collecting import LEFT_OUT_FOLDERS, Corpus, CorpusFile, collect, read_file
from winnow_ci.corpus.installed import (
    InstalledFiles,
    InstalledPackage,
    files_of_packages,
    installed_packages,
    is_installation,
)
