"""The sets of projects that rounds are made of.

*first* may be looked at as often as one likes. *held-out* was opened once, and so was *last*, which was chosen when
the program found 96 % of the first one: projects of which nobody had seen a finding, but for the hosts and strangers,
of which three play in the set "dev" of ``noise_pairs.py``. *evidence* is what the model of evidence learns from: casts
of those three, which are opened, and in other languages projects of ``noise_pairs.py``. *aside* is to be opened once,
when the model is learnt. *later* was opened once, after copies had begun to take the remarks beside them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from aside_projects import ASIDE_CASTS
from lexing import SYNTAX
from noise_pairs import PEOPLE
from projects import CASTS, HELD_OUT_CASTS, PY, Cast, Project

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


def _united(language: str, *casts: Cast) -> Cast:
    """All projects of the casts that have files in a language."""
    roles = zip(*casts, strict=True)
    return Cast(*(tuple(one for part in role for one in part if _has(one, language)) for role in roles))


def _apart(cast: Cast) -> Cast:
    """The cast without files that have the same origin as files of another project of it."""
    roles = ((one._replace(without=SAME_ORIGIN.get(one.name, one.without)) for one in role) for role in cast)
    return Cast(*map(tuple, roles))


def _has(project: Project, language: str) -> bool:
    return language in {SYNTAX.get(suffix) for suffix in project.suffixes}


def _project(name: str) -> Project:
    """A project; files of a kind that its hosts lack (components for the browser, gnuplot's terminals) are left out."""
    project = PEOPLE[name]
    return project._replace(suffixes=tuple(suffix for suffix in project.suffixes if suffix not in {".tsx", ".trm"}))


# Files with functions that another project has, too: a random generator, a recipe, a parser of one author.
SAME_ORIGIN = {"pocketsphinx": "genrand", "nltk": r"^nltk/util\.py$", "nokogiri": "/css/parser"}
LAST_CASTS = {
    "python": _cast("qiskit", "streamlit", "spyder", "pymc"),
    "javascript": _cast("tldraw", "deck.gl", "x6", "xterm"),
    "c": _cast("tcl", "redis", "systemd", "gnuplot"),
    "java": _cast("calcite", "kafka", "jgit", "undertow"),
    "go": _cast("terraform", "telegraf", "helm", "badger"),
}
LATER_CASTS = {
    "python": Cast(
        donors=(Project("sphinx", "sphinx", ("sphinx",), PY),),
        known=(Project("luigi", "luigi", ("luigi",), PY),),
        hosts=(Project("buildbot", "buildbot", ("buildbot",), PY, "/test/"),),
        strangers=(Project("beets", "beets", ("beets", "beetsplug"), PY),),
    ),
}
_EVIDENCE_CASTS = {
    **{language: _united(language, CASTS[language], HELD_OUT_CASTS[language]) for language in CASTS},
    "typescript": _united("typescript", CASTS["javascript"], LAST_CASTS["javascript"]),
    "rust": _cast("tokio diesel", "image", "wasmtime egui", "nalgebra"),
    "php": _cast("symfony", "dokuwiki", "phpmyadmin", "mediawiki"),
    "ruby": _cast("rails", "sidekiq", "redmine", "nokogiri"),
    "kotlin": _cast("okhttp", "clikt", "ktor exposed", "arrow"),
    "csharp": _cast("nunit", "", "keepass", ""),
}
EVIDENCE_CASTS = {language: _apart(cast) for language, cast in _EVIDENCE_CASTS.items()}
SETS = {
    "first": CASTS,
    "held-out": HELD_OUT_CASTS,
    "last": LAST_CASTS,
    "later": LATER_CASTS,
    "evidence": EVIDENCE_CASTS,
    "aside": ASIDE_CASTS,
}
