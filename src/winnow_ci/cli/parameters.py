"""The options that set the parameters of fingerprints, and what a configuration says of them."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from winnow_ci.errors import UsageError
from winnow_ci.model import KGRAM_LENGTHS, WINDOW_LENGTHS, Parameters, Selection
from winnow_ci.operations import CONFIGURATION

if TYPE_CHECKING:
    from collections.abc import Callable


def add_to(parser: argparse.ArgumentParser, default: Parameters) -> None:
    """Declare the options, and say which parameters they replace."""
    lengths = (
        ("-k", KGRAM_LENGTHS, "k-gram in tokens", default.k),
        ("-w", WINDOW_LENGTHS, "window in k-grams", default.w),
    )
    for option, allowed, what, length in lengths:
        described = f"length of a {what} (default: {length})"
        parser.add_argument(option, type=one_of(allowed), metavar=option[1].upper(), help=described)
    parser.add_argument(
        "--selection",
        choices=get_args(Selection),
        help=f"which k-grams are kept (default: {default.selection}). Every run of K + W - 1 tokens holds one with "
        "anchored, winnowing, robust and mod-minimizer; mod-p guarantees nothing, nor does bottom-s, which knows files "
        "only as wholes; bounded keeps at most 65,536 of a file, and finds longer runs with high probability",
    )


def one_of(numbers: range) -> Callable[[str], int]:
    """A reader of an argument that is one of these numbers."""

    def read(value: str) -> int:
        if not (value.isdecimal() and len(value) < 10 and int(value) in numbers):
            msg = f"must be a whole number from {numbers[0]} to {numbers[-1]}, not {value!r}"
            raise argparse.ArgumentTypeError(msg)
        return int(value)

    return read


def asked(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters that the command line or a configuration in this folder asks for."""
    from winnow_ci.config.settings import load_settings

    here = Path(CONFIGURATION)
    configured = load_settings(here).parameters if here.exists() else {}
    given = {name: getattr(arguments, name) for name in ("k", "w", "selection")}
    return {**configured, **{name: value for name, value in given.items() if value is not None}}


def utf8(value: Any, remedy: str) -> Any:
    """An argument to keep in a file, which is UTF-8 whatever the locale is; what is no text stays as it is."""
    try:
        return os.fsencode(value).decode() if isinstance(value, str) else value
    except UnicodeDecodeError as error:
        raise UsageError(f"not UTF-8: {value}", remedy) from error
