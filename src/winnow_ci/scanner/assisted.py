"""Find which copies of a change come from commits that a coding assistant helped to write.

A commit says so in a line of its message: ``Assisted-by``, ``Generated-by``, or ``Co-authored-by`` with the address of
one. It counts wherever it stands: a forge that squashes commits puts it in the middle. Anybody can leave it out, so
this can make the rules of a copy stricter, and never milder. Where the commits of a change are not all here, every copy
counts as assisted.

A copy belongs to the assisted commits if they add at least half of the lines of it that the change adds, wherever: a
line is known by its text, without the white space around it, so that code which moved later still counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from winnow_ci import git
from winnow_ci.languages.language_detection import LARGEST_FILE
from winnow_ci.model import Change, Skipped
from winnow_ci.model.changes import ChangedFile, ChangeSet, outermost
from winnow_ci.model.findings import AssistedWork, Finding
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

_SHARE = 0.5
_TRAILER = compiled_on_use(r"(?i)(?:assisted|generated)-by\s*:.*\S|co-authored-by\s*:(.*)")
# The addresses that assistants give themselves.
_ASSISTANT = compiled_on_use(
    r"(?i)@anthropic\.com|copilot(?:\[bot\])?@|cursoragent@|@cursor\.(?:com|sh)|@openai\.com|codex(?:\[bot\])?@|"
    r"@aider\.chat|devin-ai-integration|@devin\.ai|gemini-code-assist|jules(?:\[bot\])?@|openhands@|@windsurf\.com|"
    r"amp@ampcode\.com|sweep-ai|coderabbitai"
)


def is_assisted(trailer: str) -> bool:
    """Return whether a trailer says that an assistant helped."""
    found = _TRAILER.match(trailer)
    return found is not None and (found[1] is None or _ASSISTANT.search(found[1]) is not None)


def assisted_commits(repository: git.Repository, changes: ChangeSet) -> AssistedCommits | None:
    """Return the assisted commits of a change; None if there are none, or no commits at all."""
    base, head = changes.scope.base, changes.scope.head or git.head_commit(repository)
    if base is None or head is None or base == head:
        return None
    commits, are_known = git.commits_since(repository, base, head)
    assisted = [commit for commit in commits if any(map(is_assisted, commit.message))]
    files = git.changes_of(repository, assisted)
    return AssistedCommits(repository, changes, files, are_known) if files or not are_known else None


class AssistedCommits(NamedTuple):
    """The assisted commits of a change with their files, and whether all commits of the change are here."""

    repository: git.Repository
    changes: ChangeSet
    files: Mapping[str, Sequence[ChangedFile]]
    are_known: bool

    def ids_of(self, findings: Sequence[Finding]) -> frozenset[str]:
        """Return the ids of findings in code that these commits brought."""
        if not self.are_known:
            return frozenset(finding.id for finding in findings)
        if not findings:
            return frozenset()
        changed = [file for files in self.files.values() for file in files]
        brought = {text for change in self._read(changed) for text in _texts(change.content, change.added)}
        paths = {finding.path for finding in findings}
        copied = [file for file in self.changes.files if file.path in paths]
        contents = {change.path: change.content for change in self._read(copied)}
        # The lines of a member of an archive are not here: who changes the archive brings it.
        archives = {file.path for file in changed} & set(map(outermost, paths - contents.keys()))
        return frozenset(
            one.id
            for one in findings
            if outermost(one.path) in archives or _is_brought(one, contents.get(one.path, b""), brought)
        )

    def work(self, findings: Iterable[Finding], skipped: Iterable[Skipped]) -> AssistedWork:
        """Count the commits, those of them whose files could all be read, and their copies that nothing suppresses."""
        unread = {one.path for one in skipped if one.state == "not-scanned"}
        paths = ({file.path for file in files} for files in self.files.values())
        copies = sum(finding.assisted and finding.suppressed is None for finding in findings)
        return AssistedWork(len(self.files), sum(not one & unread for one in paths), copies, self.are_known)

    def _read(self, files: Sequence[ChangedFile]) -> Iterator[Change]:
        read = git.read_changes(self.repository, files, LARGEST_FILE)
        return (change for _, change in read if isinstance(change, Change))


def _is_brought(finding: Finding, content: bytes, brought: set[bytes]) -> bool:
    texts = list(_texts(content, finding.added))
    return bool(texts) and sum(text in brought for text in texts) >= _SHARE * len(texts)


def _texts(content: bytes, lines: Iterable[tuple[int, int]]) -> Iterator[bytes]:
    """The texts of lines, without white space around them, and without empty ones."""
    split = content.split(b"\n")
    for first, last in lines:
        yield from filter(None, map(bytes.strip, split[first - 1 : last]))
