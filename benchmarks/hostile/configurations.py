"""Configurations, manifests, locks and baselines as a stranger may have written them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commands import git, here, judged
from known_code import SAMPLES, known_index
from mutations import AWKWARD, mutated, soup
from trials import Outcome, Part, Verdict

from winnow_ci.config import parse_baseline, parse_settings
from winnow_ci.config.baseline_file import baseline_text
from winnow_ci.config.lock_file import lock_text, parse_lock
from winnow_ci.config.manifest_file import parse_manifest
from winnow_ci.errors import WinnowError

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from trials import Attempt

CONFIGURATION = b"""\
index: [.winnow/index.db, {url: "https://example.org/x.db", sha256: "SHA"}]
k: 16
w: 9
selection: anchored
languages: [c, python]
paths: {include: ["src/**"], exclude: ["**/generated/**", "!a", "[a-z]?"]}
boilerplate: [tools/**, "builtin:license-headers", {language: python, text: "if x:\\n    a(b, c, d, e, f, g, h, i)"}]
own: [acme-*]
policy: {deny: ["GPL-*", unknown], warn: ["LGPL-*"], allow: [MIT, "BSD-*", "GPL-2.0-only WITH Classpath-exception-2.0"]}
report: {min_tokens: 16, min_tokens_renamed: 16, weak: note}
baseline: .winnow/baseline.json
suppressions: {inline: base}
""".replace(b"SHA", b"0a" * 32)
MANIFEST = b"""\
index: known/all.db
k: 20
w: 8
selection: mod-minimizer
sources:
  - pkg:pypi/requests@2.32.3
  - purl: pkg:npm/%40types/node@20.1.0
    license: mit
    paths: {include: ["lib/**"], exclude: [test]}
  - git: https://example.org/curl.git
    revision: curl-8_1_0
  - git: git@example.org:tools/zlib.git
    all-tags: true
    name: z
  - url: https://example.org/x/zlib-1.3.tar.gz
    sha256: aa0e8d5b1fbe56bdb9b9ba4a0a4b1bbd1f1f4d8cb1f7d06bdb7bb1e1a0b0f0ee
    version: "1.3"
  - path: ../shared
    boilerplate: true
    with-text: true
"""
BASELINE = b"""\
{
  "version": 1,
  "entries": [
    {
      "path": "src/a.c",
      "source": "curl",
      "source_path": "lib/url.c",
      "license": "curl",
      "kind": "verbatim",
      "anchor": "00112233445566778899aabbccddeeff",
      "reason": "recorded by --update-baseline",
      "expires": "2027-01-31"
    }
  ]
}
"""
LINES = (b"\n", b"\n  - ", b"\n    ", b": ", b", ", b"#", b"&a ", b"*a", b"!!python/name:os.system ", b"!x ", b"<<: ")
SCALARS = (
    b"~",
    b"null",
    b"yes",
    b"0x1",
    b"1_0",
    b"1.5",
    b"2001-01-01",
    b".inf",
    b"'",
    b'"',
    b"|\n",
    b">-\n",
    b"? ",
    b"- ",
)
SOME_KEYS = (
    b"index policy paths own report sources git url path purl k w selection version entries name license".split()
)
FRAGMENTS = (
    *AWKWARD,
    *LINES,
    *SCALARS,
    *(key + b": " for key in SOME_KEYS),
    b"{",
    b"}",
    b"[",
    b"]",
    b"\t",
    b"%YAML 9.9\n---\n",
)
EVERY_COMMAND = 200
LONGEST_TEXT = 200_000


class Kind(NamedTuple):
    """A kind of file: its seed, what reads it, and what is made of the value."""

    seed: bytes
    use: Callable[[bytes], object]


def _settings(content: bytes) -> object:
    settings = parse_settings(content, ".winnow.yml", Path("/w"))
    patterns = (settings.include, settings.exclude, settings.boilerplate)
    return [patterns_.matches("src/a/generated/b.py") for patterns_ in patterns if patterns_], settings.parameters


def _lock(content: bytes) -> object:
    """A lock that was read is written and read as the same one."""
    lock = parse_lock(content, "sources.lock")
    assert parse_lock(lock_text(lock).encode(), "again") == lock
    return lock


def _baseline(content: bytes) -> object:
    entries = parse_baseline(content, "baseline.json")
    assert parse_baseline(baseline_text(entries).encode(), "again") == entries
    return entries


def _manifest(content: bytes) -> object:
    return parse_manifest(content, Path("/w/sources.yml"))


def kinds(lock: bytes) -> dict[str, Kind]:
    """The kinds of files, given a lock to begin with."""
    return {
        "configuration": Kind(CONFIGURATION, _settings),
        "manifest": Kind(MANIFEST, _manifest),
        "lock": Kind(lock, _lock),
        "baseline": Kind(BASELINE, _baseline),
    }


def _prepared(work: Path) -> Attempt:
    return partial(_attempt, kinds(_synced(work)), known_index(work))


def _synced(work: Path) -> bytes:
    """The lock of a manifest of two folders."""
    root = work / "synced" / ".winnow"
    root.mkdir(parents=True)
    for name in ("one", "two"):
        (work / name).mkdir()
        (work / name / "a.py").write_text(SAMPLES["python"].text)
    (root / "sources.yml").write_text("sources:\n- path: ../../one\n  license: MIT\n- path: ../../two\n  name: b\n")
    done = here("index", "sync", "--manifest", root / "sources.yml")
    if done.status:
        raise RuntimeError(done.told("index sync"))
    return (root / "sources.lock").read_bytes()


def _attempt(known: dict[str, Kind], index: bytes, number: int, chance: Random) -> Outcome:
    name = chance.choice(list(known))
    seed, use = known[name]
    content = mutated(seed, chance, FRAGMENTS, chance.choice(list(known.values())).seed)
    if chance.random() < 0.2:
        content = soup(chance, FRAGMENTS, 60)
    if number % EVERY_COMMAND == EVERY_COMMAND - 1:
        return _command(name, content[:LONGEST_TEXT], index)
    try:
        use(content)
    except WinnowError as error:
        told = "an error" if error.problem and error.remedy else "an error without words"
        return Outcome(Verdict.HELD, name, told)
    return Outcome(Verdict.HELD, name, "taken")


def _command(name: str, content: bytes, index: bytes) -> Outcome:
    """The command that reads such a file, beside a copy: a file with a mistake is no clean scan."""
    git(Path.cwd(), "init", "--quiet")
    places = {"configuration": ".winnow.yml", "baseline": ".winnow/baseline.json"}
    place = Path(places.get(name, f".winnow/sources.{'lock' if name == 'lock' else 'yml'}"))
    files = {
        ".winnow.yml": "index: [.winnow/index.db]\nbaseline: .winnow/baseline.json\n",
        "roads.py": SAMPLES["python"].text,
    }
    Path(".winnow").mkdir()
    for path, text in files.items():
        Path(path).write_text(text)
    Path(".winnow/index.db").write_bytes(index)
    Path(".winnow/sources.yml").write_text("sources: []\n")
    place.write_bytes(content)
    command = ("scan", "--all", "--no-cache") if name in places else ("index", "sync", "--check")
    ended = here(*command)
    # A configuration may allow the copy; here it is the user's own.
    return judged(f"{name}, {command[0]}", ended, is_held=ended.status in {0, 1, 2, 3}, files={"content": content})


PART = Part("configurations", "configurations, manifests, locks and baselines", 5_000, 100_000, _prepared)
