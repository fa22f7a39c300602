"""What tests of a scan look changes up in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build
from support.donor import write_known
from winnow_ci.index import WholeIndex

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeIndex]:
    """An index of the known code of ``support.donor``."""
    folder = tmp_path_factory.mktemp("known")
    build(write_known(folder / "source"), folder / "known.db")
    with WholeIndex(folder / "known.db") as reader:
        yield reader
