"""How large the page of a scan is, and how fast a browser shows it.

    python benchmarks/html_report.py [FINDINGS]

Known code is Python's own library, its text kept. The change has a file for each of 1,000 functions of it, of 15 to 120
lines, every second one with its variables renamed. The page is opened in Chromium: its bytes, the nodes that the
document has before anything is opened, the time until it is there, and for each of 100 findings the time from the key
that opens it to the frame that shows it. What is asked of it: 12 MB, 20,000 nodes, 1 s, 100 ms.
"""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT / "demo"), str(PROJECT / "tests")]

from demo import renamed  # noqa: E402
from process import WINNOW, run  # noqa: E402

from support.browser import launched  # noqa: E402

LIBRARY = Path(sysconfig.get_path("stdlib"))
LINES = range(15, 121)
OPENED = 100
COUNT_NODES = """() => {
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    let count = 1;
    while (walker.nextNode()) count += 1;
    return count;
}"""
# Two frames later the first one has been shown.
OPEN_NEXT = """() => new Promise(resolve => {
    const start = performance.now();
    document.dispatchEvent(new KeyboardEvent("keydown", {key: "j"}));
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
})"""


def main() -> None:
    wanted = int(sys.argv[1]) if sys.argv[1:] else 1000
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        make_change(scratch / "change", wanted)
        about = ("--name", "python", "--version", sysconfig.get_python_version(), "--license", "PSF-2.0")
        source = scratch / "lib"
        source.mkdir()
        for module in modules():
            (source / module.name).write_bytes(module.read_bytes())
        run(*WINNOW, "index", "build", str(source), "--output", str(scratch / "python.db"), "--with-text", *about)
        page = scratch / "page.html"
        start = time.perf_counter()
        run(*WINNOW, "scan", "--all", "--index", "../python.db", "--format", f"html:{page}", cwd=scratch / "change")
        print(f"scan and page    {time.perf_counter() - start:8.1f} s")
        measure(page)


def modules() -> list[Path]:
    return sorted(LIBRARY.glob("*.py"))


def make_change(folder: Path, wanted: int) -> None:
    """A repository with a file for each function."""
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    made = 0
    for module in modules():
        text = module.read_text(encoding="utf-8", errors="replace")
        for node in ast.walk(ast.parse(text)):
            if made == wanted or not isinstance(node, ast.FunctionDef) or node.end_lineno is None:
                continue
            code = "\n".join(text.split("\n")[node.lineno - 1 : node.end_lineno]) + "\n"
            if code.count("\n") not in LINES:
                continue
            code = textwrap.dedent(code)
            try:
                (folder / f"{made:04}.py").write_text(renamed(code) if made % 2 else code, encoding="utf-8")
            except SyntaxError:
                continue
            made += 1
    subprocess.run(["git", "add", "--all"], cwd=folder, check=True)


def measure(page: Path) -> None:
    with launched() as browser:
        tab = browser.new_page()
        tab.goto(page.as_uri())
        loaded = tab.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        nodes = tab.evaluate(COUNT_NODES)
        findings = tab.locator("article").count()
        tab.keyboard.press("Enter")
        times = sorted(tab.evaluate(OPEN_NEXT) for _ in range(min(OPENED, findings - 1)))
    print(f"findings         {findings:8,}")
    print(f"size             {page.stat().st_size / 1e6:8.1f} MB")
    print(f"nodes            {nodes:8,} until one is opened")
    print(f"loaded           {loaded:8.0f} ms")
    print(f"a finding opened {statistics.median(times):8.0f} ms (median), {times[-1]:.0f} ms (longest of {len(times)})")


if __name__ == "__main__":
    main()
