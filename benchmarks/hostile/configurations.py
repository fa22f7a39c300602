"""Configurations, manifests, locks and baselines as a stranger may have written them."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import xxhash
import yaml
from commands import git, here, judged
from known_code import SAMPLES, known_index
from mutations import AWKWARD, mutated, soup
from trials import Outcome, Part, Verdict

from winnow_ci.config.baseline import baseline_text, parse_baseline
from winnow_ci.config.lock import lock_text, parse_lock
from winnow_ci.config.manifest import parse_manifest
from winnow_ci.config.settings import SharedConfiguration, parse_settings
from winnow_ci.errors import WinnowError

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from trials import Attempt

CONFIGURATION = b"""\
index: [.winnow/index.db, "https://localhost:9/x.db#sha256=SHA"]
k: 16
w: 9
selection: anchored
languages: [c, python]
paths: {include: ["src/**"], exclude: ["**/generated/**", "[a-z]?"]}
boilerplate: [tools/**, "builtin:license-headers", {language: python, text: "if x:\\n    a(b, c, d, e, f, g, h, i)"}]
own: [acme-*]
policy: {deny: ["GPL-*", unknown], warn: ["LGPL-*"], allow: [MIT, "BSD-*", "GPL-2.0-only WITH Classpath-exception-2.0"]}
report: {min_tokens: 16, min_tokens_renamed: 16, weak: note}
baseline: .winnow/baseline.json
suppressions: {inline: base}
extends: {url: https://localhost:9/x.yml, sha256: SHA}
""".replace(b"SHA", b"0a" * 32)
SHARED = b"""\
index: ["https://localhost:9/x.db#sha256=SHA", "postgresql://ann@db.example.org:5432/known?connect_timeout=9#acme@SHA"]
policy: {deny: ["GPL-*"], default: warning}
paths: {exclude: [vendor]}
boilerplate: [{language: c, text: "int x;"}]
report: {weak: "off"}
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
LOCK: dict[str, Any] = {
    "version": 1,
    "parameters": {"k": 20, "w": 8, "selection": "winnowing"},
    "sources": [
        {
            "name": "curl",
            "git": "https://example.org/curl.git",
            "all-tags": True,
            "paths": {"exclude": ["docs"]},
            "pinned": {"tags": [{"tag": "v1", "commit": "b" * 40}, {"tag": "v2", "commit": "1" * 40}]},
        },
        {"name": "shared", "path": "../shared", "license": "MIT", "with-text": True, "pinned": {"digest": "0" * 64}},
        {
            "name": "six",
            "purl": "pkg:pypi/six",
            "pinned": {
                "version": "1.17.0",
                "artifacts": [{"filename": "six-1.17.0.tar.gz", "sha256": "a" * 64}],
                "license": "MIT",
                "license-from": "PKG-INFO",
            },
        },
    ],
}
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
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        -1,
        16,
        40,
        1 << 70,
        1.5,
        "",
        " ",
        "x" * 5000,
        "a: b",
        "\x1b[2J",
        "\u202e",
        "\ud7ff",
        "0" * 40,
        [],
        {},
    ),
    *(
        ["a"],
        {"a": 1},
        [[]],
        "../..",
        "/etc/passwd",
        "a.db",
        "https://example.org/x",
        "MIT",
        "GPL-*",
        "MIT OR GPL-2.0-only",
    ),
    *("anchored", "error", "2027-01-31", "**", "!a", "pkg:npm/x@1", "git@example.org:x", "ext::sh -c x", "-o", "a\nb"),
    *("postgresql://u:p@h/d#a", "postgresql:///d", f"https://h/x#sha256={'0' * 64}", "https://u:p@h/x", "file:///x"),
)
EVERY_COMMAND = 200
LONGEST_TEXT = 200_000


def lock_of(values: Any) -> bytes:
    """The text of a lock, with the digests that its sources would have been given."""
    sources = values.get("sources") if isinstance(values, dict) else None
    for source in sources if isinstance(sources, list) else ():
        if isinstance(source, dict):
            source.pop("check", None)
            # A value that a mutation has put into itself has no JSON, and so no digest.
            with suppress(ValueError):
                source["check"] = xxhash.xxh3_64_hexdigest(json.dumps(source, sort_keys=True, default=str).encode())
    return yaml.safe_dump(values, sort_keys=False, explicit_end=True).encode()


class Kind(NamedTuple):
    """A kind of file: its seed, what reads it, and what is made of the value."""

    seed: bytes
    use: Callable[[bytes], object]


def _settings(content: bytes) -> object:
    settings = parse_settings(content, ".winnow.yml", Path("/w"))
    patterns = (settings.include, settings.exclude, settings.boilerplate)
    return [patterns_.matches("src/a/generated/b.py") for patterns_ in patterns if patterns_], settings.parameters


def _shared(content: bytes) -> object:
    """A configuration that another one extends: what it says is said by both together."""
    shared = SharedConfiguration(content, "https://example.org/x.yml")
    joined = parse_settings(CONFIGURATION, ".winnow.yml", Path("/w"), shared)
    assert set(parse_settings(CONFIGURATION, ".winnow.yml", Path("/w")).index) <= set(joined.index)
    assert not any(isinstance(entry, Path) for entry in joined.index[:-2]), joined.index
    return joined


def _lock(content: bytes) -> object:
    """A lock that was read is written and read as the same one."""
    lock = parse_lock(content, "sources.lock")
    # The order of sources is no matter.
    written = lock_text(lock)
    assert lock_text(parse_lock(written.encode(), "again")) == written
    return lock


def _baseline(content: bytes) -> object:
    entries = parse_baseline(content, "baseline.json")
    again = parse_baseline(baseline_text(entries).encode(), "again")
    assert set(again) == set(entries), (entries, again)
    return entries


def _manifest(content: bytes) -> object:
    return parse_manifest(content, Path("/w/sources.yml"))


KINDS = {
    "configuration": Kind(CONFIGURATION, _settings),
    "shared configuration": Kind(SHARED, _shared),
    "manifest": Kind(MANIFEST, _manifest),
    "lock": Kind(lock_of(LOCK), _lock),
    "baseline": Kind(BASELINE, _baseline),
}


def _prepared(work: Path) -> Attempt:
    for seed, use in KINDS.values():
        use(seed)
    return partial(_attempt, known_index(work))


def _attempt(index: bytes, number: int, chance: Random) -> Outcome:
    name = chance.choice(list(KINDS))
    seed, use = KINDS[name]
    content = _written(name, seed, chance)
    if number % EVERY_COMMAND == EVERY_COMMAND - 1:
        return _command(name, content[:LONGEST_TEXT], index)
    try:
        use(content)
    except WinnowError as error:
        told = "an error" if error.problem and error.remedy else "an error without words"
        return Outcome(Verdict.HELD, name, told)
    return Outcome(Verdict.HELD, name, "taken")


def _written(name: str, seed: bytes, chance: Random) -> bytes:
    """A file whose values, bytes or lines are others."""
    kind = chance.random()
    if kind < 0.1:
        return soup(chance, FRAGMENTS, 60)
    if kind < 0.4:
        return mutated(seed, chance, FRAGMENTS, chance.choice(list(KINDS.values())).seed)
    values = yaml.safe_load(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        _change(values, chance)
    if name == "lock":
        return lock_of(values)
    return (json.dumps(values, indent=2) if name == "baseline" else yaml.safe_dump(values)).encode()


def _change(values: Any, chance: Random) -> None:
    """Replace, remove, repeat or rename something somewhere in values."""
    keys: list[Any] = list(values) if isinstance(values, dict) else list(range(len(values)))
    if not keys:
        return
    key = chance.choice(keys)
    if isinstance(values[key], dict | list) and chance.random() < 0.75:
        _change(values[key], chance)
    elif (way := chance.randrange(6)) == 0:
        del values[key]
    elif way == 1 and isinstance(values, dict):
        values[chance.choice(("index", "name", "paths", "path", "x", "", "url", "kind"))] = values.pop(key)
    elif way == 2 and isinstance(values, list):
        values.extend([values[key]] * chance.choice((1, 2, 300)))
    else:
        values[key] = chance.choice(ODD)


def _command(name: str, content: bytes, index: bytes) -> Outcome:
    """The command that reads such a file, beside a copy: a file with a mistake is no clean scan."""
    git(Path.cwd(), "init", "--quiet")
    places = {
        "configuration": ".winnow.yml",
        "shared configuration": ".winnow.yml",
        "baseline": ".winnow/baseline.json",
    }
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
    command = ("scan", "--all") if name in places else ("index", "sync", "--check")
    ended = here(*command)
    # A configuration may allow the copy; here it is the user's own.
    return judged(f"{name}, {command[0]}", ended, is_held=ended.status in {0, 1, 2, 3}, files={"content": content})


PART = Part("configurations", "configurations, manifests, locks and baselines", 5_000, 100_000, _prepared)
