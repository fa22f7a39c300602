"""``winnow-ci index build``: a source becomes part of an index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import messages, parameters
from winnow_ci.cli.index import engine, licences_found
from winnow_ci.cli.index.listing import indexed
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus, UsageError
from winnow_ci.model import GUARANTEED, Parameters
from winnow_ci.report.coverage import fallback_files
from winnow_ci.report.printable import name
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    import argparse

    from winnow_ci.indexer import BuildReport
    from winnow_ci.model import Source


def add_to(actions: Any) -> None:
    """Declare the command."""
    build = actions.add_parser(
        "build",
        help="add a source to an index, or replace it",
        description="Fingerprint all code in folders and archives, and add it to an index as one source. A source of "
        "that name that is there already is replaced. The index is made if there is none. With --revision or "
        "--all-tags the code is what a git repository has stored; nothing is checked out.",
    )
    build.add_argument(
        "roots",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="folder with the source's code, an archive of one (tar, tar.gz, tar.bz2, tar.xz, zip, wheel), or the "
        ".dsc of a Debian source beside its files",
    )
    commits = build.add_mutually_exclusive_group()
    commits.add_argument("--revision", metavar="REV", help="DIR is a git repository: take what it has at this revision")
    commits.add_argument(
        "--all-tags",
        action="store_true",
        help="DIR is a git repository: take what it has at each tag, as a version of its own; those that the index has "
        "of this name from tags are replaced",
    )
    build.add_argument("--output", required=True, type=Path, metavar="INDEX", help="the index to write")
    build.add_argument("--name", required=True, help="name of the source")
    build.add_argument("--version", dest="source_version", metavar="V", help="version of the source")
    build.add_argument(
        "--license",
        metavar="SPDX",
        help="its licence, as an SPDX expression (default: what its metadata and licence files say, or unknown)",
    )
    build.add_argument("--url", help="where the source comes from")
    parameters.add_to(build, Parameters())
    build.add_argument(
        "--with-text",
        action="store_true",
        help="keep the source's text in the index, compressed, for reports that show it beside the copy; whoever has "
        "the index can read it (default: no text)",
    )
    build.add_argument(
        "--boilerplate",
        action="store_true",
        help="everybody has this code: what else has it is no copy; such a source is never named in a report",
    )
    engine.add_to(build)
    build.set_defaults(run=build_index)


def build_index(arguments: argparse.Namespace) -> int:
    """Build; returns the exit status."""
    from winnow_ci.operations.build import build

    _check(arguments)
    source, asked = _source(arguments), parameters.asked(arguments)
    with engine.asked(arguments, arguments.output) as chosen:
        report = build(
            arguments.roots,
            arguments.output,
            source,
            asked,
            counting,
            chosen,
            revision=arguments.revision,
            all_tags=arguments.all_tags,
            with_text=arguments.with_text,
        )
    _tell(report, arguments)
    _warn(Parameters(**asked))
    return ExitStatus.CLEAN


def _check(arguments: argparse.Namespace) -> None:
    if (arguments.revision is not None or arguments.all_tags) and len(arguments.roots) != 1:
        problem = f"--revision and --all-tags take one git repository, not {len(arguments.roots)} folders"
        raise UsageError(problem, "build each repository as a source of its own, with its own --name")
    if arguments.all_tags and arguments.source_version is not None:
        raise UsageError("with --all-tags each version is called after its tag", "leave out --version")


def _source(arguments: argparse.Namespace) -> Source:
    from winnow_ci.indexer import ARGUMENT
    from winnow_ci.model import Source

    title, version, url = (
        parameters.utf8(value, "write --name, --version and --url in UTF-8")
        for value in (arguments.name, arguments.source_version, arguments.url)
    )
    if not (title and title.strip()):
        raise UsageError("the source has an empty name", "say what the code is called: --name NAME")
    source = Source(title, version, url=url, boilerplate=arguments.boilerplate)
    if arguments.license is None:
        return source
    from winnow_ci.policy.spdx import canonical_expression

    return source._replace(license=canonical_expression(arguments.license), license_from=ARGUMENT)


def _warn(parameters: Parameters) -> None:
    """Say it if shared code may go unseen by choice."""
    if parameters.selection not in GUARANTEED:
        messages.say(
            f"winnow-ci: with {parameters.selection} selection, a copied run of {parameters.guarantee} tokens need not "
            "have a fingerprint in the index: see docs/algorithms.md"
        )


def _tell(report: BuildReport, arguments: argparse.Namespace) -> None:
    added, title = report.added, name(arguments.name)
    versions = f"{counted(len(added.sources), 'version')} with " if arguments.all_tags else ""
    text = "; their text is kept" if arguments.with_text else ""
    left = [
        *([f"{report.continued:,} contents"] if report.continued else []),
        *([f"{report.parts:,} parts of executors"] if report.parts else []),
    ]
    before = f"; {' and '.join(left)} were there from a build that was interrupted" if left else ""
    known = f" ({added.known:,} with contents known before)"
    messages.say(f"winnow-ci: {title}: {versions}{indexed(added, known)}{text}{before}")
    for number, line in enumerate(licences_found.lines(added, "pass --license")):
        messages.say(f"winnow-ci: {'' if number else f'{title}: '}{line}")
    if added.fallback:
        messages.say(f"winnow-ci: {fallback_files(added.fallback)}")
    print(f"{name(str(arguments.output))}: digest {report.digest}")
