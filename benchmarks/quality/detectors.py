"""The detectors by name: winnow-ci itself, and the tools in peers/ if they are installed."""

from __future__ import annotations

import argparse
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import ours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from contract import Detector

OURS = {"ours": ours.detect, "ours-strong": ours.detect_strong}


def detector_named(name: str) -> Detector:
    if name in OURS:
        return OURS[name]
    if not (Path(__file__).parent / "peers").exists():
        sys.exit(f"{name}: benchmarks/quality/peers is not there\nname only detectors that are: {', '.join(OURS)}")
    peers = import_module("peers").DETECTORS
    if name not in peers:
        sys.exit(f"{name}: no such detector\nthose there are: {', '.join([*OURS, *peers])}")
    return peers[name]


def names(text: str) -> tuple[str, ...]:
    """The names in an argument; a name may have a comma and a space in it."""
    return tuple(re.split(r",(?! )", text))


def some_of(allowed: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """A reader of an argument that is some of these names."""

    def read(text: str) -> tuple[str, ...]:
        wrong = sorted(set(names(text)) - set(allowed))
        if wrong:
            msg = f"not known: {', '.join(wrong)}; there are {', '.join(allowed)}"
            raise argparse.ArgumentTypeError(msg)
        return names(text)

    return read
