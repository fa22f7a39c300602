"""A build: code in folders and archives, or what a git repository has stored, becomes a source of an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from winnow_ci import git, indexer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from winnow_ci.indexer import BuildReport
    from winnow_ci.model import Counting, Source


class SourceCode(NamedTuple):
    """Where the code of a source is.

    Attributes:
        roots: folders and archives, or the one git repository.
        revision: of the repository; None without one.
        all_tags: each tag of the repository is a version of its own.
    """

    roots: tuple[Path, ...]
    revision: str | None = None
    all_tags: bool = False


def build(
    code: SourceCode,
    source: Source,
    output: Path,
    parameters: Mapping[str, Any],
    counting: Counting,
    *,
    with_text: bool = False,
) -> BuildReport:
    """Add a source to an index, or replace the source of that name.

    Args:
        code: where its code is.
        source: what the code is.
        output: the index; it is made if there is none.
        parameters: see ``indexer.add``.
        counting: shows the progress.
        with_text: whether the index shall keep its text.

    Raises:
        GitError: there is no such repository or revision.
        CorpusError, IndexFileError, Interrupted: see ``indexer.add``.
    """
    if code.revision is None and not code.all_tags:
        return indexer.build(code.roots, output, source, parameters, counting, with_text=with_text)
    git.forget_callers_repository()
    if code.revision is None:
        addition = indexer.at_tags(code.roots[0], source)
    else:
        addition = indexer.at_revision(code.roots[0], code.revision, source)
    return indexer.add(addition, output, parameters, counting, with_text=with_text)
