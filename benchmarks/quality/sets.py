"""The sets of projects that rounds are made of.

*first* may be looked at as often as one likes. *held-out* was opened once, and so was *last*, which was chosen when
the program found 96 % of the first one: projects of which nobody had seen a finding, but for the hosts and strangers,
of which three play in the set "dev" of ``noise_pairs.py``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from noise_pairs import PEOPLE
from projects import CASTS, HELD_OUT_CASTS, Cast, Project

if TYPE_CHECKING:
    from collections.abc import Sequence


def languages_of(name: str, wanted: Sequence[str] | None) -> Sequence[str]:
    """The languages to make rounds of: those that are wanted, or else all that the set of this name has.

    Raises:
        SystemExit: the set lacks one that is wanted.
    """
    lacking = sorted(set(wanted or ()).difference(SETS[name]))
    if lacking:
        has = ", ".join(SETS[name])
        sys.exit(f"set {name!r} has no projects in {', '.join(lacking)}\nname only what it has: {has}")
    return wanted or tuple(SETS[name])


def _cast(donors: str, known: str, hosts: str, strangers: str) -> Cast:
    """Who plays what, by the names of ``noise_pairs.PEOPLE``."""
    return Cast(*(tuple(_project(name) for name in names.split()) for names in (donors, known, hosts, strangers)))


def _project(name: str) -> Project:
    """A project; files of a kind that its hosts lack (components for the browser, gnuplot's terminals) are left out."""
    project = PEOPLE[name]
    return project._replace(suffixes=tuple(suffix for suffix in project.suffixes if suffix not in {".tsx", ".trm"}))


LAST_CASTS = {
    "python": _cast("qiskit", "streamlit", "spyder", "pymc"),
    "javascript": _cast("tldraw", "deck.gl", "x6", "xterm"),
    "c": _cast("tcl", "redis", "systemd", "gnuplot"),
    "java": _cast("calcite", "kafka", "jgit", "undertow"),
    "go": _cast("terraform", "telegraf", "helm", "badger"),
}
SETS = {"first": CASTS, "held-out": HELD_OUT_CASTS, "last": LAST_CASTS}
