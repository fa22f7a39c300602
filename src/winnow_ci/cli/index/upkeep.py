"""The commands about indexes that are there: ``list``, ``verify``, ``remove``, ``merge``; and those that share them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from winnow_ci import index, operations
from winnow_ci.cli import choices, messages, outputs
from winnow_ci.config import MANIFEST
from winnow_ci.config.index_reference import ServedIndex, check_https, is_uri, parse_index_reference
from winnow_ci.errors import UsageError
from winnow_ci.fetching.cache import digest_of
from winnow_ci.index.schema import FORMAT_VERSION
from winnow_ci.report.printable import json_text, name, table, unicode
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from winnow_ci import indexer
    from winnow_ci.model import Source
    from winnow_ci.serving.publishing import Publication

# As ``serving.publishing`` has it, which is not imported to show the help.
_KEPT = 3
_VERSIONS = range(100_000)
_HEADING = ("SOURCE", "VERSION", "LICENCE", "FROM", "FILES", "WHOLE", "FINGERPRINTS", "BYTES", "TEXT", "URL")
_LICENCES_HEADING = ("SOURCE", "VERSION", "LICENCE", "FILES", "FROM")
# List at most this many places of a licence: each file may have a licence next to it.
_PLACES = 5
FileLicences: TypeAlias = dict[str, dict[str | None, int]]
"""Licences of single files → where these were read → how many files."""


def add_to(actions: Any) -> None:
    listing = messages.add_command(actions, "list", _list)
    choices.add_index(listing)
    listing.add_argument("--licences", action="store_true", help="list files with a licence other than their source's")
    listing.add_argument("--json", action="store_true", help="print JSON")
    verify = messages.add_command(actions, "verify", _verify)
    choices.add_index(verify)
    remove = messages.add_command(actions, "remove", _remove)
    remove.add_argument("index", type=choices.index_file, metavar="INDEX")
    remove.add_argument("names", nargs="+", metavar="NAME", help="name of a source, as index list shows it")
    merge = messages.add_command(actions, "merge", _merge)
    add, output = merge.add_argument, "the index to write: a new one, or one of these"
    add("indexes", nargs="+", type=choices.index_file, metavar="INDEX")
    add("--output", required=True, type=choices.index_file, metavar="INDEX", help=output)
    prefer = "if sources of the same name differ, take the one from the first or the last index (default: refuse)"
    add("--prefer", choices=("first", "last"), help=prefer)
    publish = messages.add_command(actions, "publish", _publish)
    uri = "postgresql://[USER@]HOST[:PORT]/DATABASE[#NAME] (NAME: default if missing); a folder; or the channel's file"
    add = publish.add_argument
    file = "the index file; for a channel of a folder of blocks, its head file"
    add("index", nargs="?", type=choices.index_file, metavar="INDEX", help=file)
    add("place", nargs="?", metavar="URI|FOLDER|FILE", help=uri)
    add("--sign", type=Path, metavar="KEY", help="write a channel, signed with this SSH key")
    mirror = "https URL at which the channel's index will be (repeatable; tried in this order)"
    add("--mirror", action="append", default=[], metavar="URL", help=mirror)
    keep = "older versions to keep, for anyone who has pinned them (default: %(default)s)"
    add("--keep", type=choices.number_in(_VERSIONS), default=_KEPT, metavar="N", help=keep)
    schema = "print the SQL that sets a database up for indexes, with a role for publishing and one for scanning"
    add("--print-schema", action="store_true", help=schema)
    key = messages.add_command(actions, "key", _make_key)
    key.add_argument("file", type=Path, metavar="FILE", help="the file to make; an existing one is never overwritten")
    push = messages.add_command(actions, "push", _push)
    push.add_argument("index", type=choices.index_file, metavar="INDEX")
    push.add_argument("artifact", metavar="HOST/NAME:TAG")
    pull = messages.add_command(actions, "pull", _pull)
    pull.add_argument("artifact", metavar="HOST/NAME@sha256:DIGEST", help="the name that index push printed")
    pull.add_argument("index", type=choices.index_file, metavar="INDEX", help="the file to write")
    mirror = "another place with the same index, tried if the first one fails (repeatable)"
    pull.add_argument("--mirror", action="append", default=[], metavar="HOST/NAME", help=mirror)


def _list(arguments: argparse.Namespace) -> None:
    """List the sources in an index."""
    place = choices.index_of(arguments).place
    if not isinstance(place, Path):
        _list_served(place, arguments)
        return
    with index.WholeIndex(place) as opened:
        summaries, size = opened.summaries(), opened.path.stat().st_size
        own = opened.own_licences() if arguments.licences else None
        if arguments.json:
            sources = [_described(summary, own) for summary in summaries]
            print(json_text(_document(opened, unicode(str(opened.path)), size, sources)), end="")
        elif own is not None:
            rows = (row for one in summaries for row in _licences(one, own[one.source.name]))
            print(table([_LICENCES_HEADING, *rows]))
        else:
            print(table([_HEADING, *map(_row, summaries)]))
            made = opened.parameters.described(", ")
            print(f"{opened.postings:,} fingerprints, {size:,} bytes, {made}, digest {opened.digest}")


def _list_served(place: operations.named_elsewhere.IndexPlace, arguments: argparse.Namespace) -> None:
    """List an index on a server; of a PostgreSQL server without a root, the current one.

    The size of each source would take reading all of the index; that is for ``index list`` of its file.
    """
    if arguments.licences:
        problem = "an index on a server does not count the licences of single files"
        raise UsageError(problem, "name an index file: INDEX")
    with operations.named_elsewhere.open_place(place) as opened:
        pinned = place.pinned(opened.digest) if isinstance(place, ServedIndex) else opened.name
        if arguments.json:
            unknown = dict.fromkeys(("files", "whole_files", "fingerprints", "bytes", "text"))
            sources = [{**_source_document(source), **unknown} for source in opened.sources]
            print(json_text(_document(opened, str(pinned), None, sources)), end="")
            return
        rows = ((*_cells(source), source.url or "-") for source in opened.sources)
        print(table([(*_HEADING[:4], _HEADING[-1]), *rows]))
        print(f"{opened.postings:,} fingerprints, {opened.parameters.described(', ')}, digest {opened.digest}")
        print(name(str(pinned)))


def _cells(source: Source) -> tuple[str, ...]:
    # No report ever names the licence of boilerplate.
    licence = ("boilerplate", "-") if source.boilerplate else (source.license, source.license_from or "-")
    return source.name, source.version or "-", *licence


def _row(summary: index.SourceSummary) -> tuple[str, ...]:
    numbers = summary.files - summary.whole, summary.whole, summary.fingerprints, summary.bytes
    counts = (f"{number:,}" for number in numbers)
    return *_cells(summary.source), *counts, "kept" if summary.text else "-", summary.source.url or "-"


def _licences(summary: index.SourceSummary, own: FileLicences) -> Iterator[tuple[str, ...]]:
    """A row for files with the source's licence, and one for each other licence and its origin."""
    source = summary.source
    if source.boilerplate:
        return
    described, files = (source.name, source.version or "-"), summary.files - sum(_counted(own).values())
    if files or not own:
        yield *described, source.license, f"{files:,}", source.license_from or "-"
    for licence, places in own.items():
        for origin, count in list(places.items())[:_PLACES]:
            yield *described, licence, f"{count:,}", origin or "-"
        if more := list(places.values())[_PLACES:]:
            yield *described, licence, f"{sum(more):,}", f"{len(more):,} other places"


def _counted(own: FileLicences) -> dict[str, int]:
    counts = {licence: sum(places.values()) for licence, places in own.items()}
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _document(
    opened: index.IndexReader, called: str, size: int | None, sources: list[dict[str, Any]]
) -> dict[str, Any]:
    p = opened.parameters
    return {
        "schema_version": 1,
        "index": called,
        "format": FORMAT_VERSION,
        "digest": opened.digest,
        "parameters": {"k": p.k, "w": p.w, "selection": p.selection},
        "front_ends": opened.front_ends,
        "contents": opened.contents,
        "texts": opened.texts,
        "fingerprints": opened.postings,
        "bytes": size,
        "sources": sources,
    }


def _source_document(source: Source) -> dict[str, Any]:
    fields = ("name", "version", "license", "url", "purl", "license_from", "boilerplate")
    return {field: getattr(source, field) for field in fields}


def _described(summary: index.SourceSummary, own: dict[str, FileLicences] | None) -> dict[str, Any]:
    of_source = None if own is None else own[summary.source.name]
    return {
        **({} if of_source is None else {"file_licenses": _counted(of_source), "file_licenses_from": of_source}),
        **_source_document(summary.source),
        "files": summary.files,
        "whole_files": summary.whole,
        "fingerprints": summary.fingerprints,
        "bytes": summary.bytes,
        "text": summary.text,
    }


def _verify(arguments: argparse.Namespace) -> None:
    """Check everything in an index.

    Check everything in an index: its structure, the digest of every row, its consistency, and that this winnow-ci can
    compare code with it.
    """
    from winnow_ci import indexer

    place = choices.index_of(arguments).place
    if not isinstance(place, Path):
        raise UsageError("this command needs an index file, not an index on a server", "name the file: INDEX")
    with index.WholeIndex(place) as opened:
        with messages.counting("checking", " rows") as progress:
            index.verify(opened, progress)
        indexer.check_current(opened)
        texts = f" (text of {opened.texts:,})" if opened.texts else ""
        contents = f"{opened.contents:,} contents{texts}"
        print(f"{name(str(opened.path))} is sound: {contents}, {opened.postings:,} fingerprints")
        if opened.crowded:
            hashes = counted(opened.crowded, "fingerprint has", "fingerprints have")
            print(f"{hashes} more than {index.CROWD} places; {counted(opened.cut, 'place')} of them are not looked at")
        print(f"digest {opened.digest}")


def _remove(arguments: argparse.Namespace) -> None:
    """Take sources out of an index.

    Rewrite an index without some of its sources. At least one source must remain.
    """
    from winnow_ci import indexer

    with messages.counting("writing", " blocks") as progress:
        written = indexer.remove_sources(arguments.index, arguments.names, progress)
    _say_written(arguments.index, written)
    manifest = arguments.index.with_name(Path(MANIFEST).name)
    if manifest.is_file():
        messages.note(f"the next winnow-ci index sync will add again what {name(str(manifest))} declares")


def _merge(arguments: argparse.Namespace) -> None:
    """Put the sources of several indexes into one.

    Put the sources of several indexes into one, as if all had been built into it. The indexes must have been made with
    the same parameters, and by the same front ends as this winnow-ci has. A source that is the same in several indexes
    is kept once; if they differ, --prefer chooses one.
    """
    from winnow_ci import indexer

    with messages.counting("writing", " blocks") as progress:
        written = indexer.merge_indexes(arguments.indexes, arguments.output, arguments.prefer, progress)
    _say_written(arguments.output, written)


def _say_written(path: Path, written: indexer.WrittenIndex) -> None:
    print(f"{name(path.as_posix())}: {counted(written.sources, 'source')}, digest {written.digest}")


def _publish(arguments: argparse.Namespace) -> None:
    """Put an index on a PostgreSQL server, into a folder of blocks, or into a channel.

    Check an index, and make it a new version of an index on a PostgreSQL server, encrypted under the key that
    WINNOW_CI_INDEX_KEY names. Scans that use an older version can finish. If anything stops it, nothing changes. Prints
    the URI of exactly this version; pin it in your configurations. Given a folder, write the index into it as a head
    and blocks: upload both to a web server, and scans fetch only the blocks that they need. With --sign, write the file
    of a channel, which configurations follow: upload the index, or the folder, to each --mirror, then the file.
    """
    if arguments.sign:
        _publish_channel(arguments)
        return
    if arguments.index and arguments.place and not (is_uri(arguments.place) or arguments.mirror):
        folder = Path(arguments.place)
        if folder.suffix and not folder.is_dir():
            remedy = "make that folder, or name another; add --sign to write a channel"
            raise UsageError(f"{name(folder.as_posix())} is not a folder", remedy)
        _publish_blocks(arguments.index, folder)
        return
    from winnow_ci.serving import check_client

    check_client("index publish")
    if arguments.print_schema:
        from winnow_ci.serving.database import setup_script

        print(setup_script(), end="")
        return
    from winnow_ci.serving.publishing import publish
    from winnow_ci.serving.sealing import read_key

    place = _served_place(arguments)
    key = read_key(os.environ)
    with index.WholeIndex(arguments.index) as opened:
        if place.root not in {None, opened.digest}:
            problem = f"{name(str(arguments.index))} has the root {opened.digest}, not {place.root}"
            raise UsageError(problem, "leave out @ROOT: publish computes it from the index")
        done = publish(opened, place.server, place.name, key, messages.counting, arguments.keep)
    _say_published(done, place)


def _served_place(arguments: argparse.Namespace) -> ServedIndex:
    if arguments.index is None or arguments.place is None:
        raise UsageError("publish needs an index and a server", "winnow-ci index publish INDEX URI")
    place = parse_index_reference(arguments.place, may_be_current=True)
    if not isinstance(place, ServedIndex) or arguments.mirror:
        remedy = "name a folder, or postgresql://USER@HOST:PORT/DATABASE; a channel needs --sign KEY and --mirror URL"
        raise UsageError("an index cannot be published there", remedy)
    return place


def _publish_blocks(file: Path, folder: Path) -> None:
    _checked_root(file)
    with index.WholeIndex(file) as opened, messages.counting("writing", " parts") as progress:
        root = index.write_block_folder(opened, folder, progress)
    uploaded = f"upload ROOT{index.BLOCKS} first, then ROOT{index.HEAD}"
    messages.note(f"{name(folder.as_posix())}: {uploaded}; name the index https://HOST/FOLDER/#ROOT. This is its ROOT:")
    print(root)


def _publish_channel(arguments: argparse.Namespace) -> None:
    from winnow_ci.fetching.channels import ChannelState, signed_channel

    if arguments.place is None or is_uri(arguments.place) or not arguments.mirror:
        usage = "winnow-ci index publish INDEX FILE --sign KEY --mirror https://HOST/INDEX"
        raise UsageError("a channel needs an index, the file to write, and the URL of the index", usage)
    for url in arguments.mirror:
        check_https(url, "is not an https URL", "name a URL from which everyone who scans can download the index")
    file = Path(arguments.place)
    are_heads = {url.endswith(index.HEAD) for url in (str(arguments.index), *arguments.mirror)}
    if len(are_heads) > 1:
        raise UsageError("a channel names the head of a folder of blocks", "name ROOT.head, here and at each mirror")
    root = _checked_root(arguments.index, is_head=are_heads == {True})
    with arguments.index.open("rb") as content:
        sha256, size = digest_of(content), content.tell()
    state = ChannelState(file.stem, "", root, sha256, size, tuple(arguments.mirror))
    outputs.write_file(file, signed_channel(state, arguments.sign).decode("ascii"))
    print(f"{name(file.as_posix())}: root {root}; upload the index first, then this file")


def _checked_root(file: Path, *, is_head: bool = False) -> str:
    """Return the digest of an index, after checking all of it; of a folder of blocks, the head."""
    if is_head:
        with index.IndexReader(index.BlockFolderStore(file, str(file), lambda _: [])) as opened:
            return opened.digest
    with index.WholeIndex(file) as whole, messages.counting("checking", " rows") as progress:
        index.verify(whole, progress)
        return whole.digest


def _say_published(done: Publication, place: ServedIndex) -> None:
    said = "published" if done.is_new else "already exists; nothing was changed"
    parts = [f"{place.shown}: {said}"]
    if done.dropped:
        parts.append(f"{counted(done.dropped, 'old version')} removed")
    if done.in_use:
        parts.append(f"{counted(done.in_use, 'old version')} still being read; the next publish removes them")
    messages.note("; ".join(parts))
    print(place.pinned(done.version.root))


def _push(arguments: argparse.Namespace) -> None:
    """Put an index into a registry of container images.

    Check an index, and put it into a registry of container images as an artifact. Prints the name by which index pull
    gets exactly this index. Uses the credentials of `docker login`.
    """
    from winnow_ci.fetching.oci import parse_artifact, push_artifact

    to = parse_artifact(arguments.artifact)
    _checked_root(arguments.index)
    print(push_artifact(arguments.index, to))


def _pull(arguments: argparse.Namespace) -> None:
    """Get an index from a registry of container images.

    Get an index from a registry of container images, or from your cache if it has the index.
    """
    from winnow_ci.fetching.oci import parse_artifact, pulled_artifact

    wanted, mirrors = parse_artifact(arguments.artifact), [parse_artifact(mirror) for mirror in arguments.mirror]
    if not wanted.digest:
        remedy = "write HOST/NAME@sha256:DIGEST, as index push printed it"
        raise UsageError("an index in a registry needs its digest", remedy)
    with messages.counting("fetching the index", "B") as progress:
        found = pulled_artifact(wanted, mirrors, progress)
    with index.replacing(arguments.index) as unfinished:
        shutil.copyfile(found, unfinished)
        with index.WholeIndex(unfinished) as opened:
            root = opened.digest
    print(f"{name(str(arguments.index))}: digest {root}")


def _make_key(arguments: argparse.Namespace) -> None:
    """Make the key for an index on a server.

    Write a new key, 32 random bytes, into a new file that only you can read. Everyone who publishes an index or scans
    with it needs the key, in a file that WINNOW_CI_INDEX_KEY names; the server must never have it.
    """
    from winnow_ci.serving.sealing import VARIABLE, write_key

    write_key(arguments.file)
    made = f"{name(str(arguments.file))}: a new key; set {VARIABLE} to this file, keep a copy"
    print(f"{made}, and never put it on the server or into a repository")
