"""What a sync has to do, found out without asking anybody but the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.building import build
from support.donor import INNOCENT
from winnow_ci.config.lock import SourceLock, load_lock
from winnow_ci.config.manifest import load_manifest
from winnow_ci.errors import ConfigError, CorpusError, UsageError
from winnow_ci.index import WholeIndex
from winnow_ci.indexer.building import in_silence
from winnow_ci.indexer.syncing import SyncOptions, SyncPlan, SyncProgress, marked, plan
from winnow_ci.model import Parameters, Source
from winnow_ci.operations.indexing import synchronise

if TYPE_CHECKING:
    from pathlib import Path

CODE, OTHER = "- {path: ../code}\n", "- {path: ../other}\n"


@pytest.fixture
def folder(code: Path) -> Path:
    """A folder with a manifest of one source, synced, and with another source beside it."""
    folder = code.parent / "project"
    folder.mkdir()
    declare(folder, CODE)
    synchronise(load_manifest(folder / "sources.yml"), SyncOptions(), SyncProgress(in_silence, lambda error: None))
    (code.parent / "other").mkdir()
    (code.parent / "other" / "a.py").write_text(INNOCENT)
    return folder


def declare(folder: Path, *sources: str) -> None:
    (folder / "sources.yml").write_text("sources:\n" + "".join(sources) if sources else "sources: []\n")


def planned(folder: Path, parameters: Parameters | None = None, **options: object) -> SyncPlan:
    lock = load_lock(folder / "sources.lock") or SourceLock()
    manifest = load_manifest(folder / "sources.yml")
    return plan(manifest, lock, parameters or Parameters(), SyncOptions(**options))  # type: ignore[arg-type]


def states(of: SyncPlan) -> dict[str, str]:
    return {step.declared.name: step.state for step in of.steps} | dict.fromkeys(of.gone, "gone")


def test_where_all_agrees_there_is_nothing_to_do(folder: Path) -> None:
    found = planned(folder, frozen=True)
    assert (states(found), found.is_empty, found.remade) == ({"code": "unchanged"}, True, None)


def test_sources_come_change_and_go(folder: Path, code: Path) -> None:
    declare(folder, CODE, OTHER)
    assert states(planned(folder)) == {"code": "unchanged", "other": "added"}
    (code / "logs.py").write_text(INNOCENT)
    assert states(planned(folder)) == {"code": "replaced", "other": "added"}
    declare(folder, OTHER)
    assert states(planned(folder)) == {"other": "added", "code": "gone"}


def test_other_parameters_make_all_of_it_anew(folder: Path) -> None:
    found = planned(folder, Parameters(w=5))
    assert (states(found), found.is_empty) == ({"code": "replaced"}, False)
    assert found.remade == "was made with other parameters (k, w or selection)"


def test_without_an_index_all_is_added(folder: Path) -> None:
    (folder / "index.db").unlink()
    assert states(planned(folder)) == {"code": "added"}


def test_what_is_frozen_agrees_with_its_lock(folder: Path, code: Path) -> None:
    with pytest.raises(ConfigError, match="disagree about k, w or selection"):
        planned(folder, Parameters(k=20), frozen=True)
    (code / "logs.py").write_text(INNOCENT)
    with pytest.raises(ConfigError, match="differs from the content that the lock pins"):
        planned(folder, frozen=True)
    declare(folder, CODE, OTHER)
    with pytest.raises(ConfigError, match="and its lock disagree about other"):
        planned(folder, frozen=True)


def test_mistakes_name_the_manifest(folder: Path) -> None:
    with pytest.raises(UsageError, match="has no source 'missing'") as caught:
        planned(folder, upgrade=frozenset({"missing"}))
    assert caught.value.remedy == "it has code"
    declare(folder, "- {path: ../gone}\n")
    with pytest.raises(CorpusError, match=r"sources\.yml:2: gone: .*No such file"):
        planned(folder)
    declare(folder)
    with pytest.raises(ConfigError, match="no sources"):
        planned(folder)


def test_a_source_that_nobody_declared_is_not_removed(folder: Path, code: Path) -> None:
    build([code], folder / "index.db", Source("by-hand", license="MIT"))
    with pytest.raises(UsageError, match="does not declare: by-hand"):
        planned(folder)
    # Under a name of the manifest, it is replaced.
    declare(folder, CODE, "- {path: ../other, name: by-hand}\n")
    assert states(planned(folder)) == {"code": "unchanged", "by-hand": "replaced"}


def test_a_licence_that_was_found_before_is_pinned(folder: Path) -> None:
    found = planned(folder)
    with WholeIndex(folder / "index.db") as index:
        others = [source._replace(license="MIT", license_from="elsewhere") for source in index.sources]
        same = marked(found.steps, index.sources, Parameters(), None)
    assert states(same) == {"code": "unchanged"}
    assert states(marked(found.steps, others, Parameters(), None)) == {"code": "replaced"}
