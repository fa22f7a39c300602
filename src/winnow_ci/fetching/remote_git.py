"""Fetches commits of git repositories into bare repositories in the user's cache, one for each URL.

They have no work tree, hooks, remotes or filters; submodules and Git LFS are not fetched. Where the server allows that,
the files of a commit are fetched without its history. A commit is here if ``refs/winnow-ci/<its id>`` exists; then no
server is asked for it. ``git_store`` keeps the repositories.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from winnow_ci.errors import FetchError
from winnow_ci.fetching.git_address import GitAddress, address, is_object_id, object_id, revision_name
from winnow_ci.fetching.git_process import RemoteGitOutput, run
from winnow_ci.fetching.git_store import GitStore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from winnow_ci.fetching.git_process import Progress

_FETCH = (
    *("fetch", "--progress", "--no-tags", "--no-prune", "--no-filter", "--no-recurse-submodules", "--refmap="),
    *("--no-auto-maintenance", "--no-write-commit-graph", "--no-write-fetch-head", "--force"),
    "--upload-pack=git-upload-pack",
)
_HERE = "refs/winnow-ci/"
# The messages of servers, or of git about them, that give only what a branch or tag names, or only everything.
_NOT_BY_ID = re.compile(r"unadvertised object|want [0-9a-f]+ not valid|does not support shallow")
_UNKNOWN_THERE = "not our ref"
_DELETE = "delete it and retry"


def resolve(url: str, revision: str, *, local: bool = False) -> str:
    """Return the full id of the commit that a revision is now; a full id stands for itself, and no server is asked.

    Args:
        url: of the repository.
        revision: a tag or else a branch, ``HEAD``, a name below ``refs/``, or the full id of a commit.
        local: whether the URL may be ``file://…``, of the user's own machine.

    Raises:
        FetchError: the URL or the revision is invalid, there is no such revision, or the server cannot be asked.
    """
    where = address(url, local=local)
    if is_object_id(revision):
        return revision
    name = revision_name(revision)
    references = [name] if name == "HEAD" or name.startswith("refs/") else [f"refs/tags/{name}", f"refs/heads/{name}"]
    found = _listed(where, [pattern for one in references for pattern in (one, f"{one}^{{}}")])
    for reference in references:
        if commit := found.get(f"{reference}^{{}}") or found.get(reference):
            return commit
    raise FetchError(f"{where} has no tag or branch {name}", f"{_asking(where)} shows what there is")


def resolve_tags(
    url: str,
    folder: Path,
    progress: Progress | None = None,
    *,
    local: bool = False,
) -> dict[str, str]:
    """Fetch the tags of a repository; return the full ids of their commits, by name.

    Tags of objects that are not commits are left out. That can be seen only after fetching.

    Raises:
        FetchError: as for ``resolve`` and ``fetch``; or there are no tags.
    """
    where = address(url, local=local)
    found = _listed(where, ["refs/tags/*"])
    names = [name for name in sorted(found) if not name.endswith("^{}")]
    tagged = {name.removeprefix("refs/tags/"): found.get(f"{name}^{{}}", found[name]) for name in names}
    if not tagged:
        raise FetchError(f"{where} has no tags", "name one revision of it")
    repository = _fetch(where, tuple(dict.fromkeys(tagged.values())), folder, progress)
    kinds = _held(repository, where, set(tagged.values()))
    return {name: commit for name, commit in tagged.items() if kinds[commit] == "commit"}


def fetch(
    url: str,
    commits: Sequence[str],
    folder: Path,
    progress: Progress | None = None,
    *,
    local: bool = False,
) -> Path:
    """Fetch commits, and return the bare repository that has them. If all are here, no server is asked.

    Args:
        url: of the repository.
        commits: their full ids.
        folder: where repositories are kept.
        progress: gets how many objects have arrived, and how many there will be.
        local: whether the URL may be ``file://…``, of the user's own machine.

    Raises:
        FetchError: the URL or an id is invalid, an id is not that of a commit, or a commit cannot be fetched.
    """
    where = address(url, local=local)
    wanted = tuple(map(object_id, commits))
    repository = _fetch(where, wanted, folder, progress)
    for commit, kind in _held(repository, where, set(wanted)).items():
        if kind != "commit":
            raise FetchError(f"{commit[:12]} of {where} is a {kind}, and no commit", "name a commit, or a tag of one")
    return repository


def is_here(url: str, commits: Sequence[str], folder: Path, *, local: bool = False) -> bool:
    """Whether all these commits are here, so that ``fetch`` would ask no server.

    Raises:
        FetchError: the URL or an id is invalid.
    """
    wanted = tuple(map(object_id, commits))
    return _holding(GitStore.of(address(url, local=local).url, folder, wanted), wanted) is not None


def _fetch(where: GitAddress, wanted: Sequence[str], folder: Path, progress: Progress | None) -> Path:
    """Fetch objects with all that they consist of."""
    store = GitStore.of(where.url, folder, wanted)
    if repository := _holding(store, wanted):
        return repository
    with store.writing():
        # Another process may have fetched them while this one waited.
        if repository := _holding(store, wanted):
            return repository
        with store.incoming() as incoming:
            _get(incoming, where, _missing(incoming, wanted), progress)
            return store.keep(incoming)


def _get(repository: Path, where: GitAddress, missing: Sequence[str], progress: Progress | None) -> None:
    """Fetch by id; from a server that does not allow that, everything."""
    by_id = "".join(f"{one}:{_HERE}{one}\n" for one in missing).encode()
    command = (*_FETCH, "--depth=1", "--stdin", "--", where.url)
    ended = run(command, repository, where.protocol, given=by_id, progress=progress)
    if ended.status and _NOT_BY_ID.search(ended.complaint):
        everything = ("+refs/heads/*:refs/fetched/heads/*", "+refs/tags/*:refs/fetched/tags/*")
        deepened = ("--unshallow",) if (repository / "shallow").exists() else ()
        command = (*_FETCH, *deepened, "--", where.url, *everything)
        ended = run(command, repository, where.protocol, progress=progress)
        _note_those_here(repository, where, missing)
    if left := _missing(repository, missing):
        what = f"{left[0][:12]} of {where}"
        if ended.status == 0 or _UNKNOWN_THERE in ended.complaint:
            raise FetchError(f"{what} is not there, or not any more", "pin another revision of it")
        raise FetchError(f"{what} cannot be fetched: {_why(ended)}", _remedy(where))


def _note_those_here(repository: Path, where: GitAddress, wanted: Sequence[str]) -> None:
    kinds = _kinds(repository, where, set(wanted))
    lines = "".join(f"create {_HERE}{one} {one}\n" for one in wanted if kinds[one] != "missing")
    run(("update-ref", "--stdin"), repository, where.protocol, given=lines.encode())


def _listed(where: GitAddress, patterns: Sequence[str]) -> dict[str, str]:
    """The references of a server that match a pattern: names and ids."""
    # Run outside any repository, whose settings could rewrite URLs, and whose ids have a fixed length.
    with TemporaryDirectory() as nowhere:
        ended = run(("ls-remote", "--quiet", "--", where.url, *patterns), Path(nowhere), where.protocol)
    if ended.status:
        raise FetchError(f"{where} cannot be asked: {_why(ended)}", _remedy(where))
    lines = (line.partition("\t") for line in ended.output.decode("utf-8", "surrogateescape").split("\n"))
    return {name: object_id(one) for one, _, name in lines if name}


def _held(repository: Path, where: GitAddress, wanted: set[str]) -> Mapping[str, str]:
    """The kinds of objects that must be here."""
    kinds = _kinds(repository, where, wanted)
    if "missing" in kinds.values():
        raise FetchError(f"{repository} is damaged: an object is missing", _DELETE)
    return kinds


def _kinds(repository: Path, where: GitAddress, wanted: set[str]) -> Mapping[str, str]:
    """The kinds of objects: ``commit``, ``tree``, ``blob``, ``tag`` or ``missing``."""
    questions = "".join(f"{one}\n" for one in sorted(wanted)).encode()
    ended = run(("cat-file", "--batch-check"), repository, where.protocol, given=questions)
    found = {line.split()[0]: line.split()[1] for line in ended.output.decode().splitlines()}
    if ended.status or found.keys() != wanted:
        raise FetchError(f"{repository} is damaged: {_why(ended)}", _DELETE)
    return found


def _holding(store: GitStore, wanted: Sequence[str]) -> Path | None:
    """The repository, if it has all these objects."""
    repository = store.repository()
    return repository if repository and not _missing(repository, wanted) else None


def _missing(repository: Path, wanted: Sequence[str]) -> list[str]:
    """Those of the objects that are not here completely."""
    listed = run(("for-each-ref", "--format=%(refname)", _HERE), repository, "none")
    here = set(listed.output.decode().split())
    return [one for one in dict.fromkeys(wanted) if f"{_HERE}{one}" not in here]


def _remedy(where: GitAddress) -> str:
    return f"see that the URL is right and that you may read it: {_asking(where)} tells"


def _asking(where: GitAddress) -> str:
    """A command to copy, quoted, since a stranger may have written the URL."""
    return f"`git ls-remote {shlex.quote(str(where))}`"


def _why(ended: RemoteGitOutput) -> str:
    return ended.complaint or f"git ended with status {ended.status}"
