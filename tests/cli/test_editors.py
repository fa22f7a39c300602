"""Editors show what a check finds, by the recipes of the documentation, in the editors themselves."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.coding_assistant import with_command
from support.command import LONGEST, command, environment, winnow
from support.donor import INNOCENT, SHORTEST_ROUTE

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGE = (Path(__file__).parents[2] / "docs" / "scanning.md").read_text()
FLYCHECK = Path("/usr/share/emacs/site-lisp/elpa")
COPY = SHORTEST_ROUTE.text
LINES = (10, 9 + COPY.count("\n"))


def recipe(language: str) -> str:
    """The text of the first code block in a language."""
    found, *_ = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


@pytest.fixture
def project(tmp_path: Path, known: Path) -> Path:
    """A folder with a configuration, and a file that has a copy on its later lines."""
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / ".winnow.yml").write_text(f"index: [{known}]\n")
    own = INNOCENT.splitlines(keepends=True)[:9]
    (project / "src" / "plan.py").write_text("".join(own) + COPY)
    return project


def run(line: Sequence[str | Path], folder: Path, home: Path) -> None:
    variables = with_command(folder.parent / "bin", command(), environment(HOME=str(home)))
    done = subprocess.run(
        line,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == 0, done


@pytest.mark.skipif(shutil.which("vim") is None, reason="there is no vim")
def test_vim(project: Path, tmp_path: Path) -> None:
    compiler = tmp_path / "home" / ".vim" / "compiler" / "winnow-ci.vim"
    compiler.parent.mkdir(parents=True)
    compiler.write_text(recipe("vim"))
    written = tmp_path / "list.json"
    told = "map(getqflist(), {_, each -> extend(each, {'file': bufname(each.bufnr)})})"
    commands = [
        "edit src/plan.py",
        "compiler! winnow-ci",
        "silent make",
        f"call writefile([json_encode({told})], '{written}')",
    ]
    options = [
        part
        for each in (
            *commands,
            "edit nowhere.py",
            "silent make",
            f"call writefile([json_encode({told})], '{written}', 'a')",
            "qa!",
        )
        for part in ("-c", each)
    ]
    line = ["vim", "-es", "-N", "-u", "NONE", "-i", "NONE", "--cmd", f"set rtp^={compiler.parents[1]}", *options]
    run(line, project, tmp_path / "home")
    found, missing = (json.loads(each) for each in written.read_text().splitlines())
    (one,) = (each for each in found if each["valid"])
    assert (one["file"], one["lnum"], one["end_lnum"], one["type"].lower()) == ("src/plan.py", *LINES, "e")
    assert one["text"].startswith("copied from roads 2.1 (GPL-3.0-only), roads/routes.py:")
    # A file that could not be looked at is not an empty list.
    assert [(each["file"], each["text"]) for each in missing if each["valid"]] == [
        ("nowhere.py", "cannot be read: No such file or directory")
    ]


@pytest.mark.skipif(not list(FLYCHECK.glob("flycheck-*")), reason="there is no Emacs with flycheck")
def test_emacs(project: Path, tmp_path: Path) -> None:
    written, init = tmp_path / "errors.json", tmp_path / "init.el"
    init.write_text(
        f"""
(dolist (folder (file-expand-wildcards "{FLYCHECK}/*")) (add-to-list 'load-path folder))
(require 'flycheck)
(require 'json)
{recipe("elisp")}
(find-file "src/plan.py")
(prog-mode)
(goto-char (point-min))
(insert "# not saved\\n")
(setq-local flycheck-checkers '(winnow-ci))
(flycheck-mode 1)
(flycheck-buffer)
(let ((tries 0))
  (while (and (not (memq flycheck-last-status-change '(finished errored failed))) (< (setq tries (1+ tries)) 500))
    (accept-process-output nil 0.1)))
(with-temp-file "{written}"
  (insert (json-encode (with-current-buffer "plan.py" (vconcat
    (mapcar (lambda (err) (vector (flycheck-error-line err) (flycheck-error-end-line err)
                                (symbol-name (flycheck-error-level err)) (flycheck-error-message err)))
            flycheck-current-errors))))))
"""
    )
    run(["emacs", "--batch", "-Q", "-l", init], project, tmp_path)
    (found,) = json.loads(written.read_text())
    # The line that is in the buffer only counts.
    assert found[:3] == [LINES[0] + 1, LINES[1] + 1, "error"]
    assert found[3].startswith("copied from roads 2.1 (GPL-3.0-only)")


def test_the_pattern_of_the_task(project: Path) -> None:
    matcher: dict[str, Any] = json.loads(recipe("json"))["tasks"][0]["problemMatcher"]["pattern"]
    text = winnow("check", project / "src" / "plan.py", cwd=project).output
    # The syntax that the pattern uses is the same in JavaScript.
    (found,) = (match for line in text.splitlines() if (match := re.search(matcher["regexp"], line)))
    told = [found[matcher[key]] for key in ("file", "line", "endLine", "severity")]
    assert told == ["src/plan.py", *map(str, LINES), "error"]
