"""Those files of a source that its manifest wants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.errors import ConfigError
from winnow_ci.indexer.preparation import LEFT_OUT
from winnow_ci.licensing import may_state_licence
from winnow_ci.policy.patterns import PathPatterns
from winnow_ci.start_up import record, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.config.source import DeclaredSource
    from winnow_ci.corpus import CorpusFile
    from winnow_ci.indexer.engine import SourceFiles
    from winnow_ci.model import Skipped


@record(frozen=True, slots=True)
class SelectedFiles:
    """A part of some material, and what is to be heard of the rest."""

    material: SourceFiles
    files: tuple[CorpusFile, ...]
    skipped: tuple[Skipped, ...]

    def __iter__(self) -> Iterator[CorpusFile]:
        reasons = {file.path: file.reason for file in self.files}
        for file in self.material:
            if file.path in reasons:
                yield replace(file, reason=LEFT_OUT) if reasons[file.path] == LEFT_OUT else file


def selected(material: SourceFiles, declared: DeclaredSource) -> SourceFiles:
    """What is left of a material after the patterns of its source.

    Raises:
        ConfigError: nothing.
    """
    if declared.include is None and not declared.exclude:
        return material
    include = None if declared.include is None else PathPatterns(declared.include)
    exclude = PathPatterns(declared.exclude)

    def takes(path: str) -> bool:
        return (include is None or include.matches(path)) and not exclude.matches(path)

    taken = [file for file in material.files if takes(file.path)]
    if not taken:
        problem = f"paths: none of the {len(material.files):,} files of {declared.name} is left"
        first = material.files[0].path if material.files else ""
        raise ConfigError(problem, f"write patterns of its own paths, such as {first}")
    # The licence of what is taken may stand in what is not.
    heard = [file for file in material.files if not takes(file.path) and may_state_licence(file.path, file.size)]
    files = (*taken, *(replace(file, reason=LEFT_OUT) for file in heard))
    return SelectedFiles(material, files, tuple(skip for skip in material.skipped if takes(skip.path)))
