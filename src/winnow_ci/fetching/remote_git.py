"""Fetches commits of git repositories into bare repositories in the user's cache.

They have no work tree, hooks, remotes or filters; submodules and Git LFS are not fetched. Where the server allows that,
the files of a commit are fetched without its history. A commit is here if ``refs/winnow-ci/<its id>`` exists; then no
server is asked for it.

Git does not fetch atomically: a pack may be in place before git has noted where its history is cut off, and then that
repository can fetch no more. So each fetch makes a new repository, with hard links to the packs of the last one, and
renames it when everything has arrived: ``<digest of the URL>/00000001.git``, ``00000002.git`` … The newest counts; the
one before it stays for processes that still read it. One process writes at a time, and first deletes what killed
processes have left.

Git has the user's own configuration, ssh and credentials. The folder that it runs in is ours, so no repository
configures anything, and it has no terminal to ask the user anything. Its time, output and downloads have limits.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from winnow_ci import processes, system
from winnow_ci.errors import FetchError
from winnow_ci.fetching.cache import mark_used, shrink_cache, using_cache, writing_to
from winnow_ci.fetching.urls import GitAddress, commit_id, git_address, harmless, is_commit_id, revision_name
from winnow_ci.model import Progress
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import ChildProcess, ProcessLimitError, ProcessLimits
from winnow_ci.regular_file import open_regular

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
_INCOMING = "incoming-"
_KEPT = 2


def resolve(url: str, revision: str, *, local: bool = False) -> str:
    """Return the full id of a revision's commit.

    A full id stands for itself; other revisions are a tag or else a branch, ``HEAD``, or a name below ``refs/``.
    ``local`` allows ``file://…``, of the user's own machine.
    """
    where = git_address(url, local=local)
    if is_commit_id(revision):
        return revision
    name = revision_name(revision)
    references = [name] if name == "HEAD" or name.startswith("refs/") else [f"refs/tags/{name}", f"refs/heads/{name}"]
    found = _listed(where, [pattern for one in references for pattern in (one, f"{one}^{{}}")])
    for reference in references:
        if commit := found.get(f"{reference}^{{}}") or found.get(reference):
            return commit
    raise FetchError(f"{where} has no tag or branch {name}", f"{_asking(where)} lists them")


def resolve_tags(url: str, folder: Path, progress: Progress | None = None, *, local: bool = False) -> dict[str, str]:
    """Fetch the tags of a repository; return their commits by name.

    Tags of objects that are not commits are left out. That can be seen only after fetching.
    """
    where = git_address(url, local=local)
    found = _listed(where, ["refs/tags/*"])
    names = [name for name in sorted(found) if not name.endswith("^{}")]
    tagged = {name.removeprefix("refs/tags/"): found.get(f"{name}^{{}}", found[name]) for name in names}
    if not tagged:
        raise FetchError(f"{where} has no tags", "name a single revision")
    repository = _fetched(where, tuple(dict.fromkeys(tagged.values())), folder, progress)
    kinds = _kinds(repository, where, set(tagged.values()))
    return {name: commit for name, commit in tagged.items() if kinds[commit] == "commit"}


def fetch(
    url: str, commits: Sequence[str], folder: Path, progress: Progress | None = None, *, local: bool = False
) -> Path:
    """Fetch commits, and return the bare repository below ``folder`` that has them.

    If all are here, no server is asked. ``progress`` counts objects; ``local`` as for ``resolve``.
    """
    where = git_address(url, local=local)
    wanted = tuple(map(commit_id, commits))
    repository = _fetched(where, wanted, folder, progress)
    for commit, kind in _kinds(repository, where, set(wanted)).items():
        if kind != "commit":
            problem = f"{commit[:12]} of {where} is a {kind}, not a commit"
            raise FetchError(problem, "name a commit, or the tag of a commit")
    return repository


def has_commits(url: str, commits: Sequence[str], folder: Path) -> bool:
    """Whether ``fetch`` would ask no server for these commits."""
    wanted = tuple(map(commit_id, commits))
    return _holding(GitStore.of(git_address(url).url, folder, wanted), wanted) is not None


# ---- asking git -------------------------------------------------------------------------------------------------


def _listed(where: GitAddress, patterns: Sequence[str]) -> dict[str, str]:
    # Run outside any repository, whose settings could rewrite URLs, and whose ids have a fixed length.
    with tempfile.TemporaryDirectory() as nowhere:
        command = ("ls-remote", "--quiet", "--", where.url, *patterns)
        ended = run_remote_git(command, Path(nowhere), where.protocol)
    if ended.status:
        raise FetchError(f"cannot reach {where}: {ended.reason}", _remedy(where))
    lines = (line.partition("\t") for line in ended.output.decode("utf-8", "surrogateescape").split("\n"))
    return {name: commit_id(one) for one, _, name in lines if name}


def _fetched(where: GitAddress, wanted: Sequence[str], folder: Path, progress: Progress | None) -> Path:
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
    ended = run_remote_git(command, repository, where.protocol, given=by_id, progress=progress)
    if ended.status and _NOT_BY_ID.search(ended.complaint):
        everything = ("+refs/heads/*:refs/fetched/heads/*", "+refs/tags/*:refs/fetched/tags/*")
        deepened = ("--unshallow",) if (repository / "shallow").exists() else ()
        command = (*_FETCH, *deepened, "--", where.url, *everything)
        ended = run_remote_git(command, repository, where.protocol, progress=progress)
        kinds = _kinds(repository, where, set(missing), may_miss=True)
        lines = "".join(f"create {_HERE}{one} {one}\n" for one in missing if kinds[one] != "missing")
        run_remote_git(("update-ref", "--stdin"), repository, where.protocol, given=lines.encode())
    if left := _missing(repository, missing):
        what = f"{left[0][:12]} of {where}"
        if ended.status == 0 or _UNKNOWN_THERE in ended.complaint:
            raise FetchError(f"{what} does not exist, or no longer exists", "pin another revision")
        raise FetchError(f"{what} cannot be fetched: {ended.reason}", _remedy(where))


def _kinds(repository: Path, where: GitAddress, wanted: set[str], *, may_miss: bool = False) -> Mapping[str, str]:
    """The kinds of objects: ``commit``, ``tree``, ``blob``, ``tag``, or ``missing`` if they may be."""
    questions = "".join(f"{one}\n" for one in sorted(wanted)).encode()
    ended = run_remote_git(("cat-file", "--batch-check"), repository, where.protocol, given=questions)
    found = {line.split()[0]: line.split()[1] for line in ended.output.decode().splitlines()}
    if ended.status or found.keys() != wanted:
        raise FetchError(f"{repository} is damaged: {ended.reason}", _DELETE)
    if "missing" in found.values() and not may_miss:
        raise FetchError(f"{repository} is damaged: an object is missing", _DELETE)
    return found


def _holding(store: GitStore, wanted: Sequence[str]) -> Path | None:
    repository = store.repository()
    return repository if repository and not _missing(repository, wanted) else None


def _missing(repository: Path, wanted: Sequence[str]) -> list[str]:
    """Those of the objects that are not here completely."""
    listed = run_remote_git(("for-each-ref", "--format=%(refname)", _HERE), repository, "none")
    here = set(listed.output.decode().split())
    return [one for one in dict.fromkeys(wanted) if f"{_HERE}{one}" not in here]


def _remedy(where: GitAddress) -> str:
    return f"check that the URL is right and that you may read it, with {_asking(where)}"


def _asking(where: GitAddress) -> str:
    """A command to copy, quoted: a stranger may have written the URL."""
    return f"`git ls-remote {shlex.quote(str(where))}`"


# ---- keeping repositories ---------------------------------------------------------------------------------------


class GitStore(NamedTuple):
    """The repositories of one URL with one kind of ids."""

    place: Path
    hash: str

    @classmethod
    def of(cls, url: str, folder: Path, wanted: Sequence[str]) -> GitStore:
        """Name the store of a URL for ids of this length."""
        kind = "sha256" if any(len(one) == 64 for one in wanted) else "sha1"
        return cls(folder.absolute() / f"{hashlib.sha256(url.encode()).hexdigest()[:32]}-{kind}", kind)

    def repository(self) -> Path | None:
        """Return the newest repository, if any, and mark it as used."""
        with using_cache():
            newest = max(self.place.glob("*.git"), default=None)
            if newest:
                mark_used(self.place)
        return newest

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Lock the store for writing."""
        with writing_to(self.place):
            self.place.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = system.open_file(self.place / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            system.lock(descriptor, wait=True)
            for left in self.place.glob(f"{_INCOMING}*"):
                shutil.rmtree(left, ignore_errors=True)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """Yield a copy of the newest repository, deleted unless it is kept."""
        with writing_to(self.place):
            made = Path(tempfile.mkdtemp(prefix=_INCOMING, dir=self.place))
        try:
            init = ("init", "--quiet", "--bare", "--template=", f"--object-format={self.hash}")
            ended = run_remote_git(init, made, "none")
            if ended.status:
                problem = f"cannot write to the cache {self.place}: {ended.reason}"
                raise FetchError(problem, "make room there, and check that you can write to it")
            with writing_to(self.place):
                if before := self.repository():
                    _copy(before, made)
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def keep(self, made: Path) -> Path:
        """Make a repository the newest."""
        before = sorted(self.place.glob("*.git"))
        kept = self.place / f"{int(before[-1].stem) + 1 if before else 1:08}.git"
        with writing_to(self.place):
            made.rename(kept)
        for old in before[: 1 - _KEPT]:
            shutil.rmtree(old, ignore_errors=True)
        mark_used(self.place)
        shrink_cache()
        return kept


def _copy(before: Path, made: Path) -> None:
    """Copy references and cuts in history; link packs, which never change."""
    # Git makes no links there: what they lead to would be copied, to its end.
    shutil.copytree(before / "refs", made / "refs", symlinks=True, dirs_exist_ok=True)
    for name in ("packed-refs", "shallow"):
        if os.path.lexists(before / name):
            with open_regular(before / name, follow=False) as file:
                (made / name).write_bytes(file.read())
    # The index of a pack says that the pack is complete, and so comes last.
    for pack in sorted((before / "objects" / "pack").iterdir(), key=lambda file: file.suffix == ".idx"):
        _link(pack, made / "objects" / "pack" / pack.name)


def _link(file: Path, to: Path) -> None:
    try:
        to.hardlink_to(file)
    except OSError:
        shutil.copyfile(file, to)


# ---- the process -------------------------------------------------------------------------------------------------

SILENCE = 300.0
# A server can send for ever.
LONGEST_RUN = 6 * 3600.0
MOST_FETCHED = 16 << 30
_MOST_OUTPUT = 256 << 20
_LAST_WORDS = 1 << 14
_SETTINGS = (
    "core.hooksPath=/dev/null core.fsmonitor=false core.alternateRefsCommand=true fetch.recurseSubmodules=false "
    "fetch.unpackLimit=1 transfer.bundleURI=false fetch.writeCommitGraph=false gc.auto=0 maintenance.auto=false "
    "core.commitGraph=false protocol.version=2 http.lowSpeedLimit=1 http.lowSpeedTime=120"
).split()
_COMMAND = ("git", "--no-pager", "--no-replace-objects", *(part for one in _SETTINGS for part in ("-c", one)))
# Git gives a hook variables that would make it work in the hook's repository instead of ours.
_OF_THE_CALLER = re.compile(
    r"GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|NAMESPACE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|"
    r"QUARANTINE_PATH|SHALLOW_FILE|GRAFT_FILE|REPLACE_REF_BASE|IMPLICIT_WORK_TREE|CEILING_DIRECTORIES|TEMPLATE_DIR|"
    r"DEFAULT_HASH|ALLOW_PROTOCOL|PROTOCOL_FROM_USER)"
)
_SSH = "ssh -o BatchMode=yes -o ClearAllForwardings=yes -o ForwardAgent=no -o PermitLocalCommand=no"
_COMPLAINT = re.compile(r"^(?:fatal|error): (.*)$", re.MULTILINE)
_DONE = re.compile(rb"Receiving objects: +\d+% \((\d+)/(\d+)\)")


class RemoteGitOutput(NamedTuple):
    """A command's status, output, and error message without credentials."""

    status: int
    output: bytes
    complaint: str

    @property
    def reason(self) -> str:
        """Why it failed."""
        return self.complaint or f"git ended with status {self.status}"


def run_remote_git(
    arguments: Sequence[str], folder: Path, protocol: str, *, given: bytes = b"", progress: Progress | None = None
) -> RemoteGitOutput:
    """Run a git command in a bare repository until it ends or exceeds a limit; ``given`` is its standard input.

    It may use one protocol: ``https``, ``ssh`` or ``file``. ``progress`` gets the number of objects that have come, and
    of all.
    """
    try:
        process = processes.start([*_COMMAND, *arguments], folder, _environment(folder, protocol), given=given)
    except OSError as error:
        raise FetchError(f"git cannot be started: {error.strerror}", "check that `git --version` works here") from error
    try:
        with process:
            return _listened(process, folder, progress)
    except ProcessLimitError as error:
        exceeded = {
            "silence": f"nothing came for {SILENCE:,.0f} seconds",
            "output": f"it printed more than {_MOST_OUTPUT >> 20} MiB",
        }
        too_much = f"it took more than {LONGEST_RUN / 3600:g} hours or {MOST_FETCHED >> 30} GiB"
        return RemoteGitOutput(-1, b"", exceeded.get(error.limit, too_much))


def _listened(process: ChildProcess, folder: Path, progress: Progress | None) -> RemoteGitOutput:
    output, last_words = bytearray(), b""
    for more_output, words in process.listen(ProcessLimits(LONGEST_RUN, SILENCE, _MOST_OUTPUT)):
        output += more_output
        last_words = (last_words + words)[-_LAST_WORDS:]
        if progress and (counts := _DONE.findall(words)):
            progress(*map(int, counts[-1]))
        if _size(folder) > MOST_FETCHED:
            raise ProcessLimitError("size")
    return RemoteGitOutput(process.wait(), bytes(output), _complaint(last_words))


def _environment(folder: Path, protocol: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if _OF_THE_CALLER.fullmatch(name) is None}
    ours = {
        **kept,
        "GIT_DIR": str(folder),
        "GIT_ALLOW_PROTOCOL": protocol,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
        "SSH_ASKPASS_REQUIRE": "never",
        "LC_ALL": "C",
    }
    if protocol == "ssh" and not kept.keys() & {"GIT_SSH", "GIT_SSH_COMMAND"}:
        with processes.start(("git", "config", "--get", "core.sshCommand"), folder, ours) as process:
            if process.collect().status != 0:
                ours["GIT_SSH_COMMAND"] = _SSH
    return ours


def _size(folder: Path) -> int:
    sizes = 0
    with suppress(OSError), os.scandir(folder / "objects" / "pack") as entries:
        for entry in entries:
            if entry.name.startswith("tmp_"):
                # One that git has received whole gets another name.
                with suppress(FileNotFoundError):
                    sizes += entry.stat(follow_symlinks=False).st_size
    return sizes


def _complaint(last_words: bytes) -> str:
    text = last_words.decode(errors="replace").replace("\r", "\n")
    found = _COMPLAINT.search(text)
    lines = [line for line in text.splitlines() if line.strip()]
    return harmless(found[1] if found else lines[-1] if lines else "")[:500]
