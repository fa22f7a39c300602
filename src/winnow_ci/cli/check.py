"""``winnow-ci check``: look documents up, in a repository or not: files by name, or a text on standard input."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci import run_log
from winnow_ci.cli import named_index, outputs, scan
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ReportFileError, UsageError
from winnow_ci.operations import CONFIGURATION

if TYPE_CHECKING:
    from winnow_ci.operations.given_documents import GivenDocument

_STANDARD_INPUT = "-"
DESCRIPTION = f"""\
Look documents up in indexes of known code, in a repository or not, without git: files by name, or what stands on
standard input (-). All of their text counts as new. The configuration is the {CONFIGURATION} of the working folder,
or of the nearest folder above it that has one, up to the root of a repository."""


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "check",
        help="find copied code in files or in a text, without git",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("documents", nargs="+", metavar="FILE", help="a file; - for standard input")
    parser.add_argument(
        "--stdin-filename",
        metavar="PATH",
        help="the file that the text on standard input is, or will be: for its language, the rules for paths, and "
        "reports",
    )
    parser.add_argument(
        "--language",
        type=_language,
        metavar="NAME",
        help="read everything as this language, whatever names and the rules for paths say: a name or alias that "
        "Pygments knows",
    )
    named_index.add_rules_to(parser)
    scan.add_formats(parser)
    parser.add_argument("--exit-zero", action="store_true", help="report findings, but do not fail because of them")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check and report; returns the exit status."""
    from winnow_ci.operations.check import CheckOptions, check
    from winnow_ci.operations.given_documents import folder_of
    from winnow_ci.operations.trust import RuleChoice
    from winnow_ci.report import shown_code

    given, folder, plan = _given(arguments), folder_of(Path.cwd()), scan.planned(arguments)
    options = CheckOptions(RuleChoice(arguments.config, tuple(arguments.index or ())), arguments.language)
    outputs.clear(plan, folder)
    try:
        report = check(folder, given, options, counting, shown_code(one.format for one in plan))
        scan.say_coverage([report])
        with run_log.stage("report"):
            outputs.write(report, plan, folder, arguments.group_by)
    except ReportFileError:
        raise
    except Exception as error:
        outputs.write_failure(scan.told(error), plan, folder)
        raise
    return scan.status(report, exit_zero=arguments.exit_zero)


def _given(arguments: argparse.Namespace) -> list[GivenDocument]:
    """The documents that the arguments name, and the text on standard input if they name that."""
    from winnow_ci.operations.given_documents import NAMELESS, GivenDocument
    from winnow_ci.scanner.preparation import LARGEST_FILE

    names, name = dict.fromkeys(arguments.documents), arguments.stdin_filename
    if _STANDARD_INPUT not in names:
        if name is not None:
            raise UsageError("--stdin-filename is for standard input", "add -, or leave it out")
        return [GivenDocument(each) for each in names]
    if name is None and arguments.language is None:
        problem = "nothing tells the language of what stands on standard input"
        raise UsageError(problem, "name the file that it is (--stdin-filename PATH), or its language (--language NAME)")
    text = b"" if sys.stdin is None else sys.stdin.buffer.read(LARGEST_FILE + 1)
    files = [GivenDocument(each) for each in names if each != _STANDARD_INPUT]
    return [*files, GivenDocument(NAMELESS if name is None else name, text)]


def _language(value: str) -> str:
    from winnow_ci.languages import resolve

    if name := resolve(value):
        return name
    msg = f"there is no language {value!r:.60}: use a name or alias that Pygments knows, such as c or python"
    raise argparse.ArgumentTypeError(msg)
