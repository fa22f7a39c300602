"""The sets of projects that rounds are made of.

*first* may be looked at as often as one likes. *held-out* was opened once, and so was *last*, which was chosen when
the program found 96 % of the first one: projects of which nobody had seen a finding, but for the hosts and strangers,
of which three play in the set "dev" of ``noise_pairs.py``.
"""

from __future__ import annotations

from noise_pairs import PEOPLE
from projects import CASTS, HELD_OUT_CASTS, Cast, Project


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
