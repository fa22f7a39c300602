"""``winnow-ci index build``: add a source to an index.

Also the options and messages that ``index add`` and ``index sync`` share with it.
"""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci import operations
from winnow_ci.cli import choices, messages
from winnow_ci.errors import UsageError
from winnow_ci.index import display_source
from winnow_ci.model import GUARANTEED, Parameters, Source
from winnow_ci.policy.spdx import canonical_expression
from winnow_ci.report.coverage import fallback_files, skipped_files
from winnow_ci.report.printable import name
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from winnow_ci import indexer

_OBJECTIONS = 5
_LICENCES = 5


def add_to(actions: Any) -> None:
    build = messages.add_command(actions, "build", _run)
    add, repository = build.add_argument, build.add_mutually_exclusive_group()
    archives = "an archive of it (tar, tar.gz, tar.bz2, tar.xz, zip, wheel), or the .dsc of a Debian source"
    roots = f"folder with the source's code, {archives} beside its files"
    add("roots", nargs="+", type=Path, metavar="DIR", help=roots)
    at_tags = "take each tag of the git repository DIR as a version; versions from earlier tags are replaced"
    repository.add_argument("--revision", metavar="REV", help="take the code of the git repository DIR at REV")
    repository.add_argument("--all-tags", action="store_true", help=at_tags)
    add("--output", required=True, type=Path, metavar="INDEX", help="the index to write")
    add("--name", required=True, help="name of the source")
    add("--version", dest="source_version", metavar="V", help="version of the source")
    add("--license", metavar="SPDX", help="its licence (default: from its metadata and licence files, or unknown)")
    add("--url", help="where the source comes from")
    choices.add_parameters(build, Parameters())
    text = "keep its text in the index, for reports that show it beside the copy; all users of the index can read it"
    add("--with-text", action="store_true", help=text)
    everybodys = "code that everybody has: a match with it is not a copy, and reports never name this source"
    add("--boilerplate", action="store_true", help=everybodys)
    add_engine(build)


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose the engine."""
    engine = "fingerprint on all cores of this machine, or on Apache Spark (default: %(default)s)"
    parser.add_argument("--engine", choices=("local", "spark"), default="local", help=engine)
    cluster = "spark://HOST:PORT, yarn, k8s://… or local[N] (default: from Spark's own configuration)"
    parser.add_argument("--master", metavar="URL", help=f"with --engine spark: the cluster, as {cluster}")


def engine(arguments: argparse.Namespace, index: Path) -> AbstractContextManager[indexer.BuildEngine]:
    """Return the chosen engine for the index to write."""
    if arguments.engine == "local":
        if arguments.master is not None:
            raise UsageError("--master is for --engine spark", "add --engine spark, or leave out --master")
        from winnow_ci.indexer import LOCAL

        return nullcontext(LOCAL)
    from winnow_ci.indexer.spark import SparkEngine, folder_for

    return SparkEngine(arguments.master, folder_for(index))


def _run(arguments: argparse.Namespace) -> None:
    """Add a source to an index, or replace it.

    Fingerprint all code in folders and archives, and add it to an index as one source. A source with the same
    name is replaced. The index is created if it is missing. With --revision or --all-tags the code is read from a git
    repository; nothing is checked out.
    """
    from winnow_ci import indexer

    if (arguments.revision is not None or arguments.all_tags) and len(arguments.roots) != 1:
        problem = f"--revision and --all-tags take one git repository, not {len(arguments.roots)} folders"
        raise UsageError(problem, "build each repository as a source of its own, with its own --name")
    if arguments.all_tags and arguments.source_version is not None:
        raise UsageError("with --all-tags, each version gets the name of its tag", "leave out --version")
    source, asked = _source(arguments), choices.parameters(arguments)
    code = operations.indexing.addition_of(arguments.roots, source, arguments.revision, all_tags=arguments.all_tags)
    with engine(arguments, arguments.output) as chosen, code as addition:
        add = partial(indexer.add, with_text=arguments.with_text)
        report = add(addition, arguments.output, asked, messages.counting, chosen)
    _say_built(report, arguments)
    made = Parameters(**asked)
    if made.selection not in GUARANTEED:
        run = f"with {made.selection} selection, a copied run of {made.guarantee} tokens"
        messages.note(f"{run} may have no fingerprint in the index")


def _source(arguments: argparse.Namespace) -> Source:
    given = (arguments.name, arguments.source_version, arguments.url)
    title, version, url = (choices.utf8(value, "write --name, --version and --url in UTF-8") for value in given)
    if not (title and title.strip()):
        raise UsageError("the source has an empty name", "give it a name: --name NAME")
    source = Source(title, version, url=url, boilerplate=arguments.boilerplate)
    if arguments.license is None:
        return source
    from winnow_ci.indexer import BY_ARGUMENT

    return source._replace(license=canonical_expression(arguments.license), license_from=BY_ARGUMENT)


def _say_built(report: indexer.BuildReport, arguments: argparse.Namespace) -> None:
    added, title = report.added, name(arguments.name)
    versions = f"{counted(len(added.sources), 'version')} with " if arguments.all_tags else ""
    text = "; their text is kept" if arguments.with_text else ""
    kept = ((report.continued, "contents"), (report.parts, "parts of executors"))
    left = [f"{count:,} {what}" for count, what in kept if count]
    before = f"; {' and '.join(left)} were kept from an interrupted build" if left else ""
    known = f" ({added.known:,} with contents known before)"
    messages.note(f"{title}: {versions}{indexed(added, known)}{text}{before}")
    for number, line in enumerate(licences_found(added, "pass --license")):
        messages.note(f"{'' if number else f'{title}: '}{line}")
    if added.fallback:
        messages.note(fallback_files(added.fallback))
    print(f"{name(str(arguments.output))}: digest {report.digest}")


def indexed(added: indexer.AddedFiles, known: str = "") -> str:
    """Say how many files were indexed, and how many could not be fingerprinted."""
    whole = ""
    if added.whole:
        whole = f", {counted(added.whole, 'more file')} compared only as a whole (data or unknown language)"
    return f"{counted(added.files, 'file')} indexed{known}{whole}, {skipped_files(added.skipped)}"


def licences_found(added: indexer.AddedFiles, setting: str) -> Iterator[str]:
    """Name the licence and its origin, licences of single files, and statements that were not trusted.

    ``setting`` says how to set the licence, such as ``pass --license``.
    """
    if are_packages(added.sources):
        counts = Counter(source.license for source in added.sources)
        yield f"licences of {counted(len(added.sources), 'package')}: {_most(counts.most_common())}{_of_files(added)}"
    else:
        yield f"licence {_licence(added, setting)}{_of_files(added)}"
    for path, licence in added.objections[:_OBJECTIONS]:
        yield f"{name(path)} says {name(licence)}: {setting} to settle it"


def are_packages(sources: Sequence[Source]) -> bool:
    """Return whether sources are several packages, not several versions of one."""
    return len({display_source(source).name for source in sources}) > 1


def _licence(added: indexer.AddedFiles, setting: str) -> str:
    from winnow_ci.indexer import GIVEN

    # Of several versions, the last one is usually the newest.
    source = added.sources[-1]
    if source.license_from is None:
        return f"{name(source.license)} (found in no file; {setting})"
    origin = name(source.license_from)
    if source.license == "unknown" and source.license_from not in GIVEN:
        return f"unknown (licence not recognised in {origin}; {setting})"
    return f"{name(source.license)} (from {origin})"


def _of_files(added: indexer.AddedFiles) -> str:
    if not added.own_licences:
        return ""
    files = sum(count for _, count in added.own_licences)
    return f"; {counted(files, 'file has', 'files have')} another: {_most(added.own_licences)}"


def _most(counts: Sequence[tuple[str, int]]) -> str:
    """Name the most frequent licences, given with their counts, the most first."""
    some = [f"{count:,} {name(licence)}" for licence, count in counts[:_LICENCES]]
    if (more := len(counts) - _LICENCES) > 0:
        some += [f"and {counted(more, 'more licence')}"]
    return ", ".join(some)
