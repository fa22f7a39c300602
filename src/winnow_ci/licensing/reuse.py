"""``REUSE.toml``: who says under which licence which files are (https://reuse.software/spec-3.3)."""

from __future__ import annotations

from typing import Any

from winnow_ci.licensing.annotation_globs import LONGEST, MOST
from winnow_ci.licensing.claims import LicenceAnnotation, LicenceStatement, WrittenLicence
from winnow_ci.licensing.formats import strings, table, toml

_ALL = frozenset({"**", "**/**"})
_PRECEDENCES = frozenset({"closest", "aggregate", "override"})


def statement(path: str, content: bytes, scope: str) -> LicenceStatement:
    """What the file says; without annotations if it cannot be read."""
    found = tuple(_annotations(toml(content).get("annotations")))
    globs = [glob for annotation in found for glob in annotation.globs]
    if len(globs) > MOST or any(len(glob) > LONGEST for glob in globs):
        return LicenceStatement(path, "annotations", scope)
    everything = [one.claim for one in found if not _ALL.isdisjoint(one.globs)]
    return LicenceStatement(path, "annotations", scope, tuple(everything[-1:]), found)


def _annotations(tables: Any) -> list[LicenceAnnotation]:
    found = []
    for one in tables if isinstance(tables, list) else ():
        fields = table(one)
        globs, licences = strings(fields.get("path")), strings(fields.get("SPDX-License-Identifier"))
        precedence = fields.get("precedence")
        if globs and licences:
            claim = WrittenLicence("spdx", " AND ".join(f"({licence})" for licence in licences))
            known = precedence if isinstance(precedence, str) and precedence in _PRECEDENCES else "closest"
            found.append(LicenceAnnotation(tuple(globs), claim, known))
    return found
