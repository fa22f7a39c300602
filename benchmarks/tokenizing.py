"""Speed of the front ends on the real code that this machine has, with the kernel and without, and of Pygments' lexer.

    python benchmarks/tokenizing.py [DIR...]

Without arguments: Python's own library and installed packages, /usr/include, node's packages, and sources of Java, Go
and Rust where there are any. Prints, for each family, megabytes per second of processor time from a file's bytes to its
tokens, and how many times as fast that is as Pygments' lexer, which yields no ids. Pygments gets only a slice of the
files. If there is a kernel, also the speed with it, how many times as fast that is, and what its first use in a process
takes. Each is the best of three times, in turn.
"""

from __future__ import annotations

import sys
import sysconfig
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from pygments.lexers import get_lexer_by_name

from winnow_ci import native
from winnow_ci.languages import (
    Untokenizable,
    front_end_of,
    language_of,
    may_have_language,
    tokenize,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MOST_BYTES = 6_000_000
PYGMENTS_BYTES = 500_000
KERNEL = native.kernel()

File = tuple[str, bytes]


def main() -> None:
    paths = sysconfig.get_paths()
    usual = [paths["stdlib"], paths["purelib"], "/usr/include", "/usr/lib/node_modules", "/usr/share"]
    usual += [str(Path.home() / name) for name in ("go", ".m2", ".cargo/registry/src")]
    families = read([Path(name) for name in sys.argv[1:] or usual])
    print(f"{'front end':12}{'files':>7}{'MB':>8}{'MB/s':>8}{'Pygments':>10}{'ratio':>8}", end="")
    print(f"{'kernel':>10}{'ratio':>8}{'start ms':>10}" if KERNEL else "")
    for name, files in sorted(families.items()):
        megabytes = sum(len(content) for _, content in files) / 1e6
        start = with_kernel(files[:1]) * 1e3
        times = [(without_kernel(files), with_kernel(files)) for _ in range(3)]
        python, native = map(min, zip(*times, strict=True))
        slice_ = some(files)
        slow = sum(len(content) for _, content in slice_) / 1e6 / seconds(lexed, slice_)
        speed = megabytes / python
        row = f"{name:12}{len(files):7}{megabytes:8.1f}{speed:8.1f}{slow:10.2f}{speed / slow:8.1f}"
        print(row + (f"{megabytes / native:10.1f}{python / native:8.1f}{start:10.1f}" if KERNEL else ""))


def with_kernel(files: list[File]) -> float:
    return seconds(tokenized, files)


def without_kernel(files: list[File]) -> float:
    with patch.object(native, "_found", lambda: (None, "")):
        return seconds(tokenized, files)


def read(directories: list[Path]) -> dict[str, list[File]]:
    """Family → language and content of files, up to a limit of bytes a family."""
    families: dict[str, list[File]] = defaultdict(list)
    sizes: dict[str, int] = defaultdict(int)
    for path in sorted({path for directory in directories for path in directory.rglob("*.*")}):
        if not may_have_language(path.as_posix()) or not path.is_file() or path.stat().st_size > 1_000_000:
            continue
        content = path.read_bytes()
        language = language_of(path.as_posix(), content)
        family = front_end_of(language).name if language else ""
        limit = MOST_BYTES if family != "pygments" else PYGMENTS_BYTES
        if language and sizes[family] < limit:
            families[family].append((language, content))
            sizes[family] += len(content)
    return families


def some(files: list[File]) -> list[File]:
    """Files from all over the list, a limited number of bytes in all."""
    share = PYGMENTS_BYTES / sum(len(content) for _, content in files)
    return files[:: max(round(1 / share), 1)]


def seconds(work: Callable[[File], object], files: Iterable[File]) -> float:
    began = time.process_time()
    for file in files:
        work(file)
    return time.process_time() - began


def tokenized(file: File) -> object:
    language, content = file
    try:
        return tokenize(language, content)
    except Untokenizable:
        return None


def lexed(file: File) -> object:
    language, content = file
    return list(get_lexer_by_name(language).get_tokens_unprocessed(content.decode("latin-1")))


if __name__ == "__main__":
    main()
