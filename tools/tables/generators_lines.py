"""Lines that generators write into everybody's files: common property, whatever projects the corpus has.

They are those of ``scanner/boilerplate_texts/generated`` (helpers of TypeScript and Babel), which a team may call
boilerplate, and heads of message catalogues as GNU gettext's tools write them (``lines/gettext.pot``). protoc's are not
among them: its files have names of their own (``winnow_ci.scanner.attribute``).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import scanner
from winnow_ci.evidence.weights import line_hashes
from winnow_ci.languages import tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OF_NAMED_FILES = "protobuf"
_FOLDERS = (
    Path(scanner.__file__).parent / "boilerplate_texts" / "generated",
    Path(__file__).with_name("lines"),
)


def generators_lines() -> NDArray[np.uint64]:
    """The hashes of the lines; a file's ending is the name of its language."""
    files = [file for folder in _FOLDERS for file in sorted(folder.iterdir()) if file.stem != _OF_NAMED_FILES]
    return np.concatenate([line_hashes(tokenize(file.suffix[1:], file.read_bytes())).hashes for file in files])
