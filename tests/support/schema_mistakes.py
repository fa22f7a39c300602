"""Mistakes that people make in their files, and what the program says of them."""

from __future__ import annotations

import json

_HASH = "a" * 64
_ROOT = "0" * 32


def _baseline(*changes: tuple[str, object]) -> str:
    """The text of a baseline of one entry, with keys that have other values; without those whose value is None."""
    entry = {
        "path": "src/a.c",
        "source": "curl",
        "source_path": "lib/url.c",
        "license": "curl",
        "kind": "verbatim",
        "anchor": _ROOT,
        "reason": "asked its author",
    }
    changed = {key: value for key, value in {**entry, **dict(changes)}.items() if value is not None}
    return json.dumps({"version": 1, "entries": [changed]})


GOOD_BASELINES = [_baseline(), _baseline(("expires", "2027-01-31")), json.dumps({"version": 1, "entries": []})]

MISTAKES: dict[str, dict[str, str]] = {
    "winnow-ci.json": {
        # keys
        "polcy: {}": "unknown key 'polcy'",
        "policy: {denny: []}": "unknown key 'denny'",
        "paths: {includes: [a]}": "unknown key 'includes'",
        "report: {min-tokens: 16}": "unknown key 'min-tokens'",
        "suppressions: {in_line: never}": "unknown key 'in_line'",
        "boilerplate: [{txt: x, language: c}]": "unknown key 'txt'",
        "extends: {url: https://example.org/c.yml, sha: x}": "unknown key 'sha'",
        # kinds of values
        "- k": "the file must be a mapping, not a list",
        "hello": "the file must be a mapping, not text",
        "index: x.db": "index must be a list, not text",
        "index: [{channel: 'https://example.org/x'}]": "an index that follows a channel needs its signers",
        "index: [1]": "1 is a number in YAML",
        "languages: c": "languages must be a list, not text",
        "paths: [src]": "paths must be a mapping, not a list",
        "paths: {exclude: vendor}": "paths.exclude must be a list, not text",
        "policy:": "policy must be a mapping, not nothing",
        "policy: {deny: GPL-*}": "policy.deny must be a list, not text",
        "policy: {deny: [[MIT]]}": "policy.deny must be text, not a list",
        "policy: {allow: [1.0]}": "1.0 is a number",
        "report: []": "report must be a mapping, not a list",
        "own: acme": "own must be a list, not text",
        "own: [7]": "7 is a number",
        "baseline: [x]": "baseline must be text, not a list",
        "extends: https://example.org/c.yml": "extends must be a mapping, not text",
        "boilerplate: x": "boilerplate must be a list, not text",
        # numbers
        'k: "16"': "k must be a whole number",
        "k: 3": "from 4 to 200, not 3",
        "k: 201": "from 4 to 200, not 201",
        "k:": "not nothing",
        "k: [16]": "not a list",
        "k: 16.5": "k must be a whole number",
        "w: 0": "from 1 to 500, not 0",
        "w: 501": "from 1 to 500, not 501",
        "report: {min_tokens: 0}": "report.min_tokens must be",
        "report: {min_tokens_renamed: 100001}": "from 1 to 100,000",
        # words
        "selection: minimizer": "selection cannot be 'minimizer'",
        "policy: {default: fail}": "policy.default cannot be 'fail'",
        "report: {weak: none}": "report.weak cannot be 'none'",
        "suppressions: {inline: change}": "suppressions.inline cannot be 'change'",
        "languages: [c, cobble]": "there is no language 'cobble'",
        "boilerplate: [{text: x, language: cobble}]": "there is no language 'cobble'",
        "boilerplate: ['builtin:licenses']": "there is no 'builtin:licenses'",
        # licences
        "policy: {deny: [MIT, Apache-2]}": "SPDX does not know the licence 'Apache-2'",
        "policy: {deny: [GPL-2]}": "SPDX does not know the licence 'GPL-2'",
        "policy: {warn: [GPL-2.0]}": "SPDX does not know the licence 'GPL-2.0'",
        "policy: {allow: [BSD]}": "SPDX does not know the licence 'BSD'",
        "policy: {deny: [MIT OR ISC]}": "more than one licence",
        "policy: {outbound: Apache2}": "OSADL's matrix does not have the licence 'Apache2'",
        "policy: {outbound: [MIT]}": "policy.outbound must be text, not a list",
        "policy: {deny: ['']}": "must not be empty",
        # lists that lack something
        "languages: []": "nothing would be scanned",
        "paths: {include: []}": "nothing would be scanned",
        "boilerplate: [{text: x}]": "a snippet needs its language",
        "boilerplate: [{text: '', language: c}]": "must be text, and not empty",
        "extends: {url: https://example.org/c.yml}": "needs its sha256",
        "extends: {sha256: " + _HASH + "}": "needs its url",
        # patterns of paths
        "paths: {exclude: ['!src']}": "no negation",
        "paths: {exclude: ['../x']}": "below the root",
        "paths: {exclude: ['a/../b']}": "below the root",
        "paths: {exclude: ['/']}": "below the root",
        "paths: {exclude: ['']}": "must not be empty",
        "paths: {exclude: ['" + "a" * 1025 + "']}": "longer than 1,024",
        'paths: {exclude: ["a\\0b"]}': "control character",
        "own: ['']": "must not be empty",
        # places
        "baseline: /etc/x.json": "not below the folder",
        "baseline: ../x.json": "not below the folder",
        "baseline: .git/hooks/pre-commit": "not below the folder",
        "baseline: ''": "not below the folder",
        "index: ['']": "an index without a name",
        "index: [https://example.org/x.db]": "an index at a URL needs its sha256",
        f"index: ['http://example.org/x.db#sha256={_HASH}']": "not an https or postgresql URL",
        f"index: ['https://ann:pw@example.org/x.db#sha256={_HASH}']": "credentials in",
        "index: ['https://example.org/x.db#sha256=12']": "must be 64 hexadecimal digits",
        "index: ['postgresql://ann@db/known']": "an index on a server needs its root",
        f"index: ['postgresql://ann:pw@db/known#a@{_ROOT}']": "a password in the URI",
        f"index: ['postgresql://db/known?host=evil#a@{_ROOT}']": "is not a parameter",
        f"index: ['postgresql://db/known?sslmode=prefer#a@{_ROOT}']": "sslmode in the URI",
        "extends: {url: http://example.org/c.yml, sha256: " + _HASH + "}": "is not an https URL",
        "extends: {url: 'https://example.org/a b', sha256: " + _HASH + "}": "a character that URLs cannot have",
        "extends: {url: https://example.org/c.yml, sha256: abc}": "must be 64 hexadecimal digits",
    },
    "winnow-ci-sources.json": {
        "sauces: []": "unknown key 'sauces'",
        "- pkg:pypi/six": "the file must be a mapping",
        "sources: {path: a}": "sources must be a list",
        "sources: [{path: a, licence: MIT}]": "unknown key 'licence'",
        "sources: [{path: a, paths: {only: [x]}}]": "unknown key 'only'",
        "sources: [requests]": "is not a package URL",
        "sources: ['pkg:pypi']": "is not a package URL",
        "sources: ['pkg:pypi/']": "is not a package URL",
        "sources: ['pkg:npm/lodash#fp']": "a part of a package",
        "sources: ['pkg:github/zlib']": "not a valid repository name",
        "sources: [{name: x}]": "a source with none of these",
        "sources: [{path: x, url: 'https://example.org/a.zip'}]": "a source with url and path",
        "sources: [{purl: 'pkg:pypi/six', path: x}]": "a source with purl and path",
        "sources: [{git: 'https://example.org/a.git'}]": "needs a revision, or all-tags",
        "sources: [{git: 'https://example.org/a.git', all-tags: false}]": "needs a revision, or all-tags",
        "sources: [{git: 'https://example.org/a.git', revision: v1, all-tags: true}]": "needs a revision, or all-tags",
        "sources: [{path: a, revision: v1}]": "revision is for git repositories",
        "sources: [{path: a, all-tags: true}]": "all-tags is for git repositories",
        "sources: [{git: a, all-tags: true, version: '1'}]": "each version gets the name of its tag",
        "sources: [{git: a, revision: ''}]": "is not a revision",
        "sources: [{git: a, revision: --all}]": "is not a revision",
        "sources: [{git: a, all-tags: 'yes'}]": "must be true or false",
        f"sources: [{{path: a, sha256: {_HASH}}}]": "sha256 is for archives at a URL",
        "sources: [{url: 'https://example.org/a.zip', sha256: abc}]": "must be 64 hexadecimal digits",
        "sources: [{path: ..}]": "a source without a name",
        "sources: [{path: ''}]": "is not a path",
        "sources: [{path: a, name: ''}]": "is empty, or longer",
        "sources: [{path: a, name: ' '}]": "is empty, or longer",
        "sources: [{path: a, name: " + "x" * 201 + "}]": "longer than 200",
        "sources: [{path: a, version: 1.0}]": "1.0 is a number",
        "sources: [{path: a, license: Mitt}]": "SPDX does not know 'Mitt'",
        "sources: [{path: a, license: ''}]": "licence is empty",
        "sources: [{path: a, boilerplate: 1}]": "must be true or false",
        "sources: [{path: a, paths: {include: []}}]": "is empty",
        "sources: [{path: a, paths: {include: ['!b']}}]": "no negation",
        'sources: [{path: "a\\nb"}]': "a control character",
        "sources: [{path: a}, {path: a}]": "a second source called 'a'",
        "sources: [{git: 'ext::sh -c x', revision: v1}]": "not the URL of a git repository",
        "sources: [{git: --upload-pack=touch, revision: v1}]": "is not a repository",
        "sources: [{git: 'file:///home', revision: v1}]": "is a folder on this machine",
        "sources: [{git: 'http://example.org/x.git', revision: v1}]": "not the URL of a git repository",
        "sources: [{git: 'https://user:secret@example.org/x.git', revision: v1}]": "a URL with a password in it",
        "sources: [{url: 'http://example.org/a.tar'}]": "is not an https URL",
        "sources: [{url: 'file:///etc/passwd'}]": "is not an https URL",
        "sources: [{url: 'https://me:secret@example.org/a.tar'}]": "credentials in",
        "sources: [{url: 'https:///a.tar'}]": "is not an https URL",
        "index: ../../known.db": "is not a *.db file below the folder",
        "index: /etc/cron.d/x.db": "is not a *.db file below the folder",
        "index: .git/x.db": "is not a *.db file below the folder",
        "index: sources.yml": "is not a *.db file below the folder",
        "k: 3": "from 4 to 200",
        "selection: best": "selection cannot be 'best'",
    },
    "winnow-ci-baseline.json": {
        "[]": "a baseline is an object with version and entries",
        '{"version": 1}': "a baseline is an object with version and entries",
        '{"version": 2, "entries": []}': "version must be 1",
        '{"version": 1, "entries": {}}': "entries must be a list",
        '{"version": 1, "entries": [7]}': "must be an object",
        _baseline(("raison", "x")): "unknown key 'raison'",
        _baseline(("reason", None)): "reason is missing",
        _baseline(("reason", " ")): "reason must be text, and not empty",
        _baseline(("reason", "x" * 501)): "reason is longer than 500",
        _baseline(("source", 7)): "source must be text",
        _baseline(("path", "/etc/passwd")): "must be a path below the root",
        _baseline(("path", "a/../../b")): "must be a path below the root",
        _baseline(("kind", "copied")): "is not a kind of copy",
        _baseline(("anchor", "12")): "must be 32 hexadecimal digits",
        _baseline(("expires", "31 Jan")): "is not a date",
        _baseline(("expires", "2027-02-31")): "is not a date",
    },
}
"""By the document that refuses them too: the text of a file → a part of the program's message."""

ONLY_THE_PROGRAM: dict[str, dict[str, str]] = {
    "winnow-ci.json": {
        # What matches what is no question of form.
        "policy: {allow: ['BDS-*']}": "SPDX does not know the licence 'BDS-*'",
        "policy: {deny: [GPL-2.0-only WITH Classpath]}": "SPDX does not know the licence",
        "policy: {outbound: MIT OR Apache}": "OSADL's matrix does not have the licence 'Apache'",
        f"index: ['postgresql://db/known?sslmode=verify-full&sslmode=verify-full#a@{_ROOT}']": "write it once",
        # For JSON Schema 16.0 is a whole number; and how a value was written is gone when YAML has been read.
        "k: 16.0": "k must be a whole number",
        "k: 0x10": "not 0x10",
        "own: [NO]": "NO is a boolean",
        "own: &x [acme]": "anchors and aliases",
        "k: !!int 16": "tags",
    },
    "winnow-ci-sources.json": {
        "sources: [{path: a, license: MIT ORR ISC}]": "is not an SPDX expression",
        # Names follow from addresses.
        "sources: [{path: a}, {path: b/a}]": "a second source called 'a'",
        "sources: [{path: .zip}]": "a source without a name",
        "sources: [{path: a, with-text: True}]": "must be true or false",
    },
    "winnow-ci-baseline.json": {
        json.dumps(
            {"version": 1, "entries": [json.loads(one)["entries"][0] for one in GOOD_BASELINES[:2]]}
        ): "a second entry",
        '{"version": 1, "entries": [], "entries": []}': "a duplicate key",
    },
}
"""The same, of what a document cannot tell."""
