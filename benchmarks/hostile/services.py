"""How each service runs a job for a change: what is checked out, the variables, and the event's file.

    main   began ── tip ────────── merge (refs/pull/7/merge)
             └── (topic) pulled ──┘

The variables are those that the services document; the payloads have the documented fields that a scan could read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from commands import WINNOW, Ended, environment, git, run, winnow
from histories import Commit, written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from histories import Tree

PROJECT = "octo/widget"
MAIN, HEAD, MERGE, BEGAN = "refs/heads/main", "refs/pull/7/head", "refs/pull/7/merge", "refs/tags/began"
_REPOSITORY = {"full_name": PROJECT, "default_branch": "main", "fork": False}


class Forge(NamedTuple):
    """A server's repository with a pull request, the ids of its commits, and a reference that its author has pushed."""

    bare: Path
    began: str
    tip: str
    pulled: str
    merge: str
    reference: str = ""

    @classmethod
    def created(cls, folder: Path, began: Tree, tip: Tree, change: Tree, reference: str = "") -> Forge:
        """Make one; ``change`` is what both the request's branch and its trial merge bring."""
        commits = [
            Commit(BEGAN, began),
            Commit(MAIN, {"docs/news.md": "Main has moved on.\n", **tip}, (BEGAN,)),
            Commit(HEAD, change, (BEGAN,)),
            Commit(MERGE, change, (MAIN, HEAD)),
        ]
        bare = written(folder / "server" / f"{PROJECT}.git", commits, "--bare")
        git(bare, "symbolic-ref", "HEAD", MAIN)
        began_at, tip_at, pulled, merge = git(bare, "rev-parse", BEGAN, MAIN, HEAD, MERGE).split()
        forge = cls(bare, began_at, tip_at, pulled, merge, reference.replace("TIP", tip_at))
        if reference:
            git(bare, "update-ref", forge.reference, forge.pulled)
        return forge

    def clone(self, folder: Path, commit: str) -> Path:
        """A clone with the whole history, and a commit checked out as ``actions/checkout`` does."""
        root = folder / "clone"
        root.mkdir()
        git(root, "init", "--quiet")
        git(root, "remote", "add", "origin", f"file://{self.bare}")
        refs: tuple[str, ...] = ("+refs/heads/*:refs/remotes/origin/*", "+refs/pull/*:refs/remotes/pull/*")
        # As with `fetch-tags`; a branch called `origin/main` may be there, too.
        refs = (*refs, f"+{self.reference}:{self.reference}") if self.reference else refs
        git(root, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "origin", *refs)
        git(root, "checkout", "--quiet", "--force", "--detach", commit)
        return root


SCAN = ("scan", "--format", "auto")
ALL = ("scan", "--all", "--format", "auto")


def _all_files(root: Path) -> tuple[str, ...]:
    """What ``pre-commit run --all-files`` starts."""
    names = git(root, "ls-files", "-z").split("\0")
    return "hook", "--", *(name for name in names if name and not (root / name).is_dir())


def _github(  # noqa: PLR0913 - what the runner sets
    forge: Forge,
    folder: Path,
    checked_out: str,
    sha: str,
    where: str,
    event: str,
    *,
    command: tuple[str, ...] | Callable[[Path], tuple[str, ...]] = SCAN,
    **fields: object,
) -> Ended:
    payload = folder / "event.json"
    payload.write_text(json.dumps({"repository": _REPOSITORY, **fields}))
    root = forge.clone(folder, checked_out)
    return winnow(
        *(command(root) if callable(command) else command),
        cwd=root,
        CI="true",
        GITHUB_ACTIONS="true",
        GITHUB_EVENT_NAME=event,
        GITHUB_EVENT_PATH=str(payload),
        GITHUB_REPOSITORY=PROJECT,
        GITHUB_SHA=sha,
        GITHUB_REF=where,
        GITHUB_STEP_SUMMARY=str(folder / "summary.md"),
    )


def _request(forge: Forge) -> dict[str, object]:
    # GitHub leaves the base as it was when the request was opened.
    base = {"ref": "main", "sha": forge.began, "repo": _REPOSITORY}
    head = {"ref": "topic", "sha": forge.pulled, "repo": {**_REPOSITORY, "full_name": "mallory/widget", "fork": True}}
    return {"number": 7, "pull_request": {"number": 7, "head": head, "base": base}}


def github_merge(forge: Forge, folder: Path) -> Ended:
    return _github(forge, folder, forge.merge, forge.merge, MERGE, "pull_request", **_request(forge))


def github_head(forge: Forge, folder: Path) -> Ended:
    return _github(forge, folder, forge.pulled, forge.merge, MERGE, "pull_request", **_request(forge))


def github_target(forge: Forge, folder: Path) -> Ended:
    return _github(forge, folder, forge.tip, forge.tip, MAIN, "pull_request_target", **_request(forge))


def github_all(forge: Forge, folder: Path) -> Ended:
    return _github(forge, folder, forge.merge, forge.merge, MERGE, "pull_request", command=ALL, **_request(forge))


def github_all_files(forge: Forge, folder: Path) -> Ended:
    return _github(
        forge, folder, forge.merge, forge.merge, MERGE, "pull_request", command=_all_files, **_request(forge)
    )


def github_workflow_run(forge: Forge, folder: Path) -> Ended:
    """A job that has secrets, and has checked the request out nevertheless."""
    workflow_run = {"event": "pull_request", "head_sha": forge.pulled, "pull_requests": []}
    return _github(forge, folder, forge.pulled, forge.tip, MAIN, "workflow_run", command=ALL, workflow_run=workflow_run)


def github_queue(forge: Forge, folder: Path) -> Ended:
    queue = {"head_sha": forge.merge, "base_sha": forge.tip, "base_ref": MAIN}
    ref = f"refs/heads/gh-readonly-queue/main/pr-7-{forge.tip}"
    return _github(forge, folder, forge.merge, forge.merge, ref, "merge_group", merge_group=queue)


def github_push(forge: Forge, folder: Path) -> Ended:
    """A push to main itself."""
    push = {"ref": MAIN, "before": forge.tip, "after": forge.merge}
    return _github(forge, folder, forge.merge, forge.merge, MAIN, "push", **push)


def github_branch(forge: Forge, folder: Path) -> Ended:
    push = {"ref": "refs/heads/topic", "before": forge.began, "after": forge.pulled}
    return _github(forge, folder, forge.pulled, forge.pulled, "refs/heads/topic", "push", **push)


def github_second_push(forge: Forge, folder: Path) -> Ended:
    """An innocent push after the one that has brought the change."""
    tree = git(forge.bare, "rev-parse", f"{forge.pulled}^{{tree}}")
    second = git(forge.bare, "commit-tree", tree, "-p", forge.pulled, "-m", "innocent")
    git(forge.bare, "update-ref", "refs/heads/topic", second)
    push = {"ref": "refs/heads/topic", "before": forge.pulled, "after": second}
    return _github(forge, folder, second, second, "refs/heads/topic", "push", **push)


def _gitlab(forge: Forge, folder: Path, commit: str, **variables: str) -> Ended:
    return winnow(
        "scan",
        *("--format", "auto"),
        cwd=forge.clone(folder, commit),
        CI="true",
        GITLAB_CI="true",
        CI_PROJECT_PATH=PROJECT,
        CI_DEFAULT_BRANCH="main",
        CI_COMMIT_SHA=commit,
        **variables,
    )


def _merge_request(forge: Forge) -> dict[str, str]:
    return {
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": forge.began,
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_PROJECT_PATH": PROJECT,
    }


def gitlab_request(forge: Forge, folder: Path) -> Ended:
    return _gitlab(forge, folder, forge.pulled, **_merge_request(forge))


def gitlab_merged(forge: Forge, folder: Path) -> Ended:
    target = {"CI_MERGE_REQUEST_TARGET_BRANCH_SHA": forge.tip, "CI_MERGE_REQUEST_EVENT_TYPE": "merged_result"}
    return _gitlab(forge, folder, forge.merge, **_merge_request(forge), **target)


def gitlab_train(forge: Forge, folder: Path) -> Ended:
    target = {"CI_MERGE_REQUEST_TARGET_BRANCH_SHA": forge.tip, "CI_MERGE_REQUEST_EVENT_TYPE": "merge_train"}
    return _gitlab(forge, folder, forge.merge, **_merge_request(forge), **target)


def gitlab_branch(forge: Forge, folder: Path) -> Ended:
    push = {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "topic", "CI_COMMIT_BEFORE_SHA": forge.began}
    return _gitlab(forge, folder, forge.pulled, **push)


def jenkins(forge: Forge, folder: Path) -> Ended:
    root = forge.clone(folder, forge.pulled)
    return winnow(*ALL, cwd=root, JENKINS_URL="https://ci.example.org/", CHANGE_ID="7", CHANGE_TARGET="main")


def by_range(forge: Forge, folder: Path) -> Ended:
    root = forge.clone(folder, forge.pulled)
    return winnow("scan", "--range", "origin/main...HEAD", "--policy-from", "base", cwd=root)


def since(forge: Forge, folder: Path) -> Ended:
    root = forge.clone(folder, forge.pulled)
    return winnow("scan", "--since", "origin/main", "--policy-from", "base", cwd=root)


def pre_receive(forge: Forge, folder: Path) -> Ended:
    """A real push to a server of one's own, whose administrator has put configuration and index beside the refs."""
    server = folder / "own.git"
    server.mkdir()
    git(server, "init", "--quiet", "--bare")
    git(server, "fetch", "--quiet", str(forge.bare), f"{MAIN}:{MAIN}")
    for name, place in ((".winnow.yml", ".winnow.yml"), (".winnow/index.db", ".winnow/index.db")):
        (server / place).parent.mkdir(exist_ok=True)
        content = (folder / "administrator" / name).read_bytes()
        (server / place).write_bytes(content)
    hook = server / "hooks" / "pre-receive"
    hook.write_text(f"#!/bin/sh\nexec {' '.join(WINNOW)} hook --pre-receive\n")
    hook.chmod(0o755)
    names = [f"{forge.reference}:{forge.reference}"] if forge.reference else []
    command = ["git", "push", str(server), f"{HEAD}:refs/heads/topic", *names]
    return run(command, forge.bare, environment({"GIT_CONFIG_GLOBAL": "/dev/null"}))


SERVICES: dict[str, Callable[[Forge, Path], Ended]] = {
    "GitHub pull_request, merge commit": github_merge,
    "GitHub pull_request, head": github_head,
    "GitHub pull_request_target": github_target,
    "GitHub pull_request, everything": github_all,
    "GitHub pull_request, pre-commit on all files": github_all_files,
    "GitHub workflow_run, everything": github_workflow_run,
    "GitHub merge queue": github_queue,
    "GitHub push to main": github_push,
    "GitHub push to a branch": github_branch,
    "GitHub second push": github_second_push,
    "GitLab merge request": gitlab_request,
    "GitLab merged results": gitlab_merged,
    "GitLab merge train": gitlab_train,
    "GitLab push to a branch": gitlab_branch,
    "Jenkins change request, everything": jenkins,
    "--range": by_range,
    "--since": since,
    "pre-receive": pre_receive,
}
