"""The seam to the kernel: a kernel that does not fit is refused in one line, and all goes on without it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import xxhash

from support.kernels import need_kernel
from winnow_ci import native

KERNEL = Path(__file__).parents[1] / "kernel"


def version(path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """``winnow-ci --version`` where modules are also looked for in a folder."""
    program = "import sys; from winnow_ci.cli import main; sys.exit(main(['--version']))"
    known = {"PYTHONPATH": f"{path}:{Path(native.__file__).parents[1]}"}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=known | environment, capture_output=True, text=True, check=False)


def kernel(folder: Path, text: str) -> Path:
    (folder / "winnow_ci_kernel.py").write_text(text)
    return folder


def test_a_kernel_that_fits_is_used(tmp_path: Path) -> None:
    ended = version(kernel(tmp_path, f"INTERFACE = {native.KERNEL_INTERFACE}\n__version__ = '7.7'"))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "(kernel 7.7)" in ended.stdout


def test_it_can_be_done_without(tmp_path: Path) -> None:
    ended = version(
        kernel(tmp_path, f"INTERFACE = {native.KERNEL_INTERFACE}\n__version__ = '7.7'"), WINNOW_CI_KERNEL="off"
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "(no kernel)" in ended.stdout


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("PARTS = {'tokens': 1}\n__version__ = '7.7'", "version 7.7 belongs to another version of winnow-ci"),
        ("INTERFACE = 1\n__version__ = '7.7'", "version 7.7 belongs to another version of winnow-ci"),
        ("raise ImportError('undefined symbol: x\\nmore')", "undefined symbol: x;"),
        ("import nothing_of_the_kind", "needs nothing_of_the_kind"),
    ],
)
def test_a_kernel_that_does_not_fit_is_refused_in_a_line(tmp_path: Path, text: str, why: str) -> None:
    ended = version(kernel(tmp_path, text))
    assert ended.returncode == 0
    assert "(no kernel)" in ended.stdout
    assert ended.stderr.startswith("winnow-ci: kernel not used: ")
    assert why in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_the_kernel_is_built_of_the_sources_beside_it() -> None:
    """Else the two may differ in what they find, with the same numbers of interfaces: build the kernel again."""
    need_kernel()
    digest = xxhash.xxh3_64()
    for folder in ("crates", "src"):
        for path in sorted(path for path in (KERNEL / folder).rglob("*") if path.is_file()):
            digest.update(str(path.relative_to(KERNEL)).encode() + path.read_bytes())
    assert digest.hexdigest() == native.kernel().SOURCES, "the kernel is built of other sources: make kernel"
