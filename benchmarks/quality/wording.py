"""Plausible words for new names, comments and strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

WORDS = """
account action amount anchor answer archive area attempt balance basket batch blend border branch bridge broker budget
bundle button cabin cache camera canvas carrier cell chapter circle claim client clock cluster color column command
corner counter course cursor customer deck delay demand depth desk device dial digit domain draft drawer driver edge
effect engine entry estimate event extra factor field figure filter flag flight folder frame garden gate grade grid
group guard guest habit handle harbor header height hint history holder hour image impact income input insight invoice
item journey kernel label ladder layer leader leaf ledger lesson level limit link load lobby margin marker market
matrix measure member memory meter mirror mode moment motor needle network notice number object offer office option
orbit order origin outcome output owner packet panel parcel partner pattern payment permit phase picture pilot pixel
place planet player pocket point policy pool portal power price print prize profile purpose quarter query queue quota
radius range rate reader reason record region relay remote report request reserve result reward ribbon ring river role
room route rule safety sample scale scene score screen season section segment sensor session shade shape shelf signal
slot source space speed stage station status step stock store stream street supply surface switch symbol table target
task team ticket tone tool topic total track trade trail transfer trend trigger tunnel turn user value vector vendor
version view visit voice volume voyage wallet weight wheel width window winner worker zone
""".split()

REMARKS = (
    "check the {} before going on",
    "the {} may be missing here",
    "keep the {} for later",
    "see the ticket about the {}",
    "TODO: measure how long the {} takes",
    "this used to depend on the {} and the {}",
    "nothing to do if the {} has not changed",
    "first the {}, then the {}",
    "callers rely on the {} being set",
    "order matters: {} goes before {}",
    "not the nicest way to get at the {}",
    "handle the {}",
)


def remark(rng: random.Random) -> str:
    return rng.choice(REMARKS).format(rng.choice(WORDS), rng.choice(WORDS))
