"""A build: code in folders and archives, or what a git repository has stored, becomes a source of an index."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from winnow_ci import git
from winnow_ci.corpus import ArchiveLimits, collect
from winnow_ci.indexer import LOCAL, IndexAddition, add, at_revision, at_tags, in_silence
from winnow_ci.languages import LARGEST_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from winnow_ci.indexer import BuildEngine, BuildReport
    from winnow_ci.model import Counting, Source


def build(  # noqa: PLR0913 - what to build, and how
    roots: Sequence[Path],
    output: Path,
    source: Source,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    counting: Counting = in_silence,
    engine: BuildEngine = LOCAL,
    *,
    revision: str | None = None,
    all_tags: bool = False,
    with_text: bool = False,
) -> BuildReport:
    """Add a source to an index, or replace the source of that name.

    Args:
        roots: folders and archives; with ``revision`` or ``all_tags``, one git repository.
        output: the index; it is made if there is none.
        source: what the code is.
        parameters: see ``indexer.add``.
        counting: shows the progress.
        engine: fingerprints.
        revision: take what the repository has at this revision.
        all_tags: take what it has at each tag, as a version of its own.
        with_text: whether the index shall keep the text of the source.

    Raises:
        GitError: there is no such repository or revision.
        CorpusError, IndexFileError, Interrupted: see ``indexer.add``.
    """
    if revision is None and not all_tags:
        # An archive is listed, and refused, before the index is touched.
        with collect(roots, ArchiveLimits(member=LARGEST_FILE)) as corpus:
            addition = IndexAddition(corpus, (source,), lambda _: (source,), lambda old: old.name == source.name)
            return add(addition, output, parameters, counting, engine, with_text=with_text)
    git.forget_callers_repository()
    addition = at_tags(roots[0], source) if revision is None else at_revision(roots[0], revision, source)
    return add(addition, output, parameters, counting, engine, with_text=with_text)
