"""Make the pictures of the HTML report in `docs/pictures`.

    python tools/screenshots

It scans a branch with code pasted from packages that are installed here anyway, as `make demo` does: a function with
other names, two functions in another order, a whole file, and a function of a package of which the index has no text.
Then it opens the page in Chromium. `python tools/screenshots FOLDER` also puts there how each looks in the dark and on
paper. Look at them all.
"""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "demo"), str(PROJECT / "tests")]

import demo  # noqa: E402

from support.browser import launched  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

PICTURES = PROJECT / "docs" / "pictures"
REPORT = PROJECT / ".demo" / "report.html"
SIZE = {"width": 1280, "height": 680}
HEIGHT = 1000  # of the picture of a finding, from below the head of the page
PAPER = {"width": 1032, "height": 703}  # A4 landscape without its margins, at 96 dots an inch
WITHOUT_TEXT = ("requests", "requests", "Apache-2.0")
NAMES = {
    "n": "done", "total": "whole", "elapsed": "seconds", "ncols": "width", "prefix": "label", "ascii": "plain",
    "unit": "noun", "unit_scale": "scale", "rate": "speed", "bar_format": "template", "postfix": "suffix",
    "unit_divisor": "divisor", "initial": "start", "colour": "paint", "extra_kwargs": "more", "elapsed_str": "clock",
    "inv_rate": "seconds_each", "l_bar": "left", "r_bar": "right", "full_bar": "drawn", "n_fmt": "done_text",
    "total_fmt": "whole_text", "remaining": "todo", "remaining_str": "todo_text", "frac": "share", "nobar": "bare",
    "format_dict": "fields", "percentage": "percent", "rate_fmt": "speed_text",
}  # fmt: skip
SHOWN = {
    "src/progress.py": "renamed",
    "src/files.py": "moved",
    "src/reader.py": "identical",
    "src/redirects.py": "no-text",
}
SETTINGS = """\
policy:
  allow: [MIT]
  warn: [MPL-2.0]
"""


def main() -> None:
    demo.os.chdir(PROJECT)
    demo.shutil.rmtree(demo.DEMO, ignore_errors=True)
    demo.REPOSITORY.mkdir(parents=True)
    for distribution, module, licence in demo.PACKAGES:
        demo.build_index(distribution, module, licence)
    without_text()
    make_branch()
    indexes = ("--index", "../known-code.db", "--index", "../without-text.db")
    demo.show("winnow-ci", "scan", "--since", "main", *indexes, "--format", f"html:{REPORT}", cwd=demo.REPOSITORY)
    PICTURES.mkdir(exist_ok=True)
    with launched() as browser:
        take(browser, PICTURES)
        for folder in sys.argv[1:]:
            take(browser, Path(folder), color_scheme="dark")
            take(browser, Path(folder), "print", viewport=PAPER)


def without_text() -> None:
    """An index of a package that keeps no text of it."""
    distribution, module, licence = WITHOUT_TEXT
    folder = Path(demo.inspect.getfile(demo.importlib.import_module(module))).parent
    about = ("--name", distribution, "--version", demo.metadata.version(distribution), "--license", licence)
    command = (demo.COMMAND, "index", "build", folder, "--output", demo.DEMO / "without-text.db", *about)
    subprocess.run(command, check=True)


def make_branch() -> None:
    demo.git("init", "--quiet", "--initial-branch", "main")
    demo.write(".winnow.yml", SETTINGS)
    demo.commit("Start")
    demo.git("switch", "--quiet", "--create", "progress")
    demo.write(
        "src/files.py", "import os\n\n\n" + "\n\n".join(demo.source("git.util", name) for name in demo.PASTED[1:])
    )
    demo.write("src/progress.py", f'"""How far we are."""\n\n\nclass Meter:\n{meter()}')
    demo.write("src/reader.py", Path(demo.inspect.getfile(demo.importlib.import_module("yaml.reader"))).read_text())
    demo.write(
        "src/redirects.py",
        "import os\n\n\n" + demo.source("requests.sessions", "SessionRedirectMixin.resolve_redirects"),
    )
    demo.commit("Show progress")


def meter() -> str:
    """``tqdm.format_meter`` as who covers a copy up would paste it."""
    code = demo.source("tqdm.std", "tqdm.format_meter")
    code = re.sub(
        r'""".*?"""', '"""One line of progress, as people like to read it."""', code, count=1, flags=re.DOTALL
    )
    code = re.sub(r"(?<![.'\"])\b[a-z_]\w*\b", lambda match: NAMES.get(match[0], match[0]), code)
    code = code.replace("+ 0.5", "+ 0.25")
    return demo.textwrap.indent(code, "    ")


def take(browser: Browser, folder: Path, media: str = "screen", **context: object) -> None:
    """Pictures of the overview and of each finding, named after what it shows."""
    kind = media if media == "print" else context.get("color_scheme", "")
    with opened(browser, **{"viewport": SIZE, **context}) as page:
        page.emulate_media(media=media)  # type: ignore[arg-type]
        page.screenshot(path=folder / f"report-overview{kind and f'-{kind}'}.png")
        for anchor, name in findings(page):
            page.goto(f"{REPORT.as_uri()}#{anchor}")
            head = page.locator("header").evaluate("head => head.getBoundingClientRect().bottom")
            below = {"x": 0, "y": head, "width": SIZE["width"], "height": HEIGHT}
            clip = None if media == "print" else below
            page.screenshot(path=folder / f"report-{name}{kind and f'-{kind}'}.png", clip=clip, full_page=bool(clip))


@contextmanager
def opened(browser: Browser, **context: object) -> Iterator[Page]:
    made = browser.new_context(**context)  # type: ignore[arg-type]
    page = made.new_page()
    page.goto(REPORT.as_uri())
    yield page
    made.close()


def findings(page: Page) -> list[tuple[str, str]]:
    """The findings to take, with their names."""
    rows = page.eval_on_selector_all("#list tbody a", "all => all.map(one => [one.hash.slice(1), one.textContent])")
    found = {SHOWN[where.partition(":")[0]]: anchor for anchor, where in reversed(rows)}
    return [(anchor, name) for name, anchor in found.items()]


if __name__ == "__main__":
    main()
