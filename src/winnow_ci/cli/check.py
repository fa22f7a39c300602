"""Find copied code in files or in a text, without git.

Look up files, or standard input (-), in indexes of known code. Needs no git, and no repository. Every line counts as
new. The configuration is the .winnow.yml of the current folder, or of the nearest folder above it that has one, up to
the root of a repository.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from winnow_ci import operations, report, run_log
from winnow_ci.cli import choices, messages, outputs, scan
from winnow_ci.errors import UsageError

_STANDARD_INPUT = "-"


def add_to(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    filename = "path of the text on standard input; decides its language, rules and name in reports"
    add("documents", nargs="+", metavar="FILE", help="a file; - for standard input")
    add("--stdin-filename", metavar="PATH", help=filename)
    language = "read all of it as this language, whatever file names and configuration say (a name that Pygments knows)"
    add("--language", type=_language, metavar="NAME", help=language)
    choices.add_rules(parser)
    choices.add_reports(parser)


def run(arguments: argparse.Namespace) -> int:
    given, folder, plan = _given(arguments), operations.check.folder_of(Path.cwd()), outputs.planned(arguments)
    options = operations.check.CheckOptions(choices.rule_choice(arguments), arguments.language)
    with outputs.reporting(plan, folder):
        code = report.shown_code(one.format for one in plan)
        found = operations.check.scan_documents(folder, given, options, messages.counting, code).report
        scan.say_coverage([found])
        with run_log.stage("report"):
            outputs.write_reports(found, plan, folder, arguments.group_by)
        outputs.say_written(found, plan)
    return scan.status(found, exit_zero=arguments.exit_zero)


def _given(arguments: argparse.Namespace) -> list[operations.check.GivenDocument]:
    from winnow_ci.scanner.read import LARGEST_SCANNED

    names, name = dict.fromkeys(arguments.documents), arguments.stdin_filename
    files = [operations.check.GivenDocument(each) for each in names if each != _STANDARD_INPUT]
    if _STANDARD_INPUT not in names:
        if name is not None:
            raise UsageError("--stdin-filename is for standard input", "add -, or leave it out")
        return files
    if name is None and arguments.language is None:
        remedy = "name its file (--stdin-filename PATH), or its language (--language NAME)"
        raise UsageError("the language of standard input is unknown", remedy)
    text = b"" if sys.stdin is None else sys.stdin.buffer.read(LARGEST_SCANNED + 1)
    return [*files, operations.check.GivenDocument(operations.check.NAMELESS if name is None else name, text)]


def _language(value: str) -> str:
    from winnow_ci.languages import resolve_language

    if name := resolve_language(value):
        return name
    msg = f"there is no language {value!r:.60}: use a name or alias that Pygments knows, such as c or python"
    raise argparse.ArgumentTypeError(msg)
