"""What a system provides: the same functions on each, and what they promise here."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from support.windows import HERE
from winnow_ci import system
from winnow_ci.corpus.collecting import files_below, read_file

FOLDER = Path(system.__file__).parent


def face(module: str) -> dict[str, str]:
    """The public names of a module; for functions and classes, with their parameters."""
    found: dict[str, str] = {}

    def add(prefix: str, body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                parameters = [one.arg.lstrip("_") for one in (*node.args.args, *node.args.kwonlyargs)]
                found[prefix + node.name] = " ".join(parameters)
            elif isinstance(node, ast.ClassDef):
                add(f"{node.name}.", node.body)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found[node.target.id] = ast.unparse(node.annotation)

    add("", ast.parse((FOLDER / f"{module}.py").read_text()).body)
    return found


def test_both_modules_have_the_same_names_and_parameters() -> None:
    expected = face("posix")
    access = {name: parameters for name, parameters in face("windows_access").items() if name in expected}
    assert expected == face("windows") | access
    assert len(face("posix")) > 25


# ---- on this system --------------------------------------------------------------------------------------------


def holding(path: Path, *, shared: bool = False) -> subprocess.Popen[bytes]:
    """Another process that has locked a file until its standard input ends."""
    code = (
        "import os, sys; from winnow_ci import system; d = system.open_file(sys.argv[1], os.O_RDWR | os.O_CREAT); "
        f"print(system.lock(d, shared={shared}), flush=True); sys.stdin.read()"
    )
    line = [sys.executable, "-c", code, str(path)]
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline().strip() == b"True"
    return process


@pytest.mark.parametrize(
    ("theirs", "ours", "free"), [(False, False, 0), (False, True, 0), (True, False, 0), (True, True, 1)]
)
def test_a_lock_of_another_process(tmp_path: Path, theirs: bool, ours: bool, free: int) -> None:
    path = tmp_path / "lock"
    process = holding(path, shared=theirs)
    descriptor = system.open_file(path, os.O_RDWR)
    try:
        assert system.lock(descriptor, shared=ours) == bool(free)
        process.kill()
        process.communicate()
        assert system.lock(descriptor, shared=ours, wait=True)
    finally:
        os.close(descriptor)


def test_locked_bytes_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_bytes(b"content")
    process = holding(path)
    assert path.read_bytes() == b"content"
    process.communicate()


def test_an_open_file_can_be_renamed_over_another_and_removed(tmp_path: Path) -> None:
    descriptor = system.open_file(tmp_path / "new", os.O_RDWR | os.O_CREAT | os.O_EXCL)
    try:
        (tmp_path / "old").write_bytes(b"old")
        os.write(descriptor, b"a\r\nb\n\x1a")
        os.lseek(descriptor, 0, os.SEEK_SET)
        system.rename_over(tmp_path / "new", tmp_path / "old")
        assert (tmp_path / "old").read_bytes() == b"a\r\nb\n\x1a" == os.read(descriptor, 99)
        (tmp_path / "old").unlink()
    finally:
        os.close(descriptor)
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    with suppress(OSError):
        (tmp_path / "link").symlink_to("file")
    if not (tmp_path / "link").is_file():
        pytest.skip("no links here")
    with pytest.raises(OSError):  # noqa: PT011 - its text is the system's
        system.open_file(tmp_path / "link", os.O_RDONLY)
    os.close(system.open_file(tmp_path / "link", os.O_RDONLY, follow=True))


def test_a_private_file_is_open_to_its_owner_only(tmp_path: Path) -> None:
    descriptor = system.open_file(tmp_path / "key", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    assert not system.others_may(descriptor, group_of_root=False)
    os.close(descriptor)
    assert system.belongs_to_us(tmp_path / "key")


@pytest.mark.parametrize("name", ["plain.py", "Grüße.py", "日本.py", "aux.c", "dot."])
def test_a_file_is_found_by_its_path(tmp_path: Path, name: str) -> None:
    """Below a long path, too."""
    folder = "/".join(["x" * 60] * 5)
    place = Path(system.place_below(tmp_path, f"{folder}/{name}"))
    place.parent.mkdir(parents=True)
    place.write_bytes(b"content")
    (found,) = files_below(tmp_path)
    assert found.path == f"{folder}/{name}"
    assert read_file(found, 100) == b"content"


@pytest.mark.skipif(not HERE, reason="elsewhere, a name may have these letters")
@pytest.mark.parametrize("path", ["..\\secret.py", "../secret.py", "{absolute}", "plain.py:stream", "./plain.py"])
def test_no_path_leads_out_of_its_folder(tmp_path: Path, path: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/plain.py").write_text("a = 1\n")
    (tmp_path / "secret.py").write_text("b = 2\n")
    place = system.place_below(tmp_path / "in", path.format(absolute=tmp_path / "secret.py"))
    with pytest.raises(OSError):  # noqa: PT011 - its text is the system's
        system.open_file(place, os.O_RDONLY)


def test_a_name_that_is_there_is_kept_with_its_content(tmp_path: Path) -> None:
    """On Windows it may be a second name of a file in the cache."""
    for name in ("first", "second"):
        (tmp_path / name).write_text(name)
    system.link_file(tmp_path / "name", tmp_path / "first")
    with pytest.raises(FileExistsError):
        system.link_file(tmp_path / "name", tmp_path / "second")
    assert (tmp_path / "first").read_text() == (tmp_path / "name").read_text() == "first"


class OverError(BaseException):
    """Time is over."""


def test_an_error_is_raised_after_processor_time() -> None:
    with pytest.raises(OverError), system.raised_after(0.2, OverError):
        while True:
            pass


def test_no_error_is_raised_after_the_block() -> None:
    with system.raised_after(0.05, OverError):
        pass
    began = time.process_time()
    while time.process_time() < began + 0.2:
        pass


def test_an_interruption_waits_for_the_end_of_a_block() -> None:
    code = (
        "import time; from winnow_ci import system\n"
        "try:\n"
        "    with system.held_back('SIGINT'):\n"
        "        system.interrupt_main_thread(); time.sleep(0.1); print('whole', flush=True)\n"
        "    time.sleep(5); print('not interrupted')\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.split() == ["whole", "interrupted"]
