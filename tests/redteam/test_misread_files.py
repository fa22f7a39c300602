"""Copies in files that their names say little of, and in text that opens text again and again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support.cases import code
from support.command import build, winnow

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("spans.c", "Ledger.java", "costs.pm", "seats.php", "tides.rakumod", "rounds.rb", "prune.sh")
ORDINARY = {name: code(name) for name in NAMES}
C, JAVA, PERL, PHP, RAKU, RUBY, SHELL = ORDINARY.values()
ODD = {
    "spans.inc": C,
    "ledger.groovy": JAVA,
    "costs.inc": PERL,
    "seats.phpt": "--TEST--\nseats\n--FILE--\n" + PHP,
    "tides.pm": "=begin pod\n\n=head1 NAME\n\n=end pod\n\n" + RAKU,
    "rounds.podspec": RUBY,
    "prune.bats": SHELL,
}


def _indented(code: str, mark: str = "    ") -> str:
    return "".join(mark + line for line in code.splitlines(keepends=True))


def _escaped(code: str) -> str:
    return re.sub(r"[^\w\s]", lambda mark: f"\\u{ord(mark[0]):04x}", code)


_NUMBERS = "".join(f"{number} {number * number}\n" for number in range(3000))
_LONE = "1;\n__END__\n\n"
HERE = "".join(f"cat <<'{mark}'\n" for mark in "ABCDE")
COPIES: dict[str, str | bytes] = {
    **{f"unknown/spans{end}": C for end in (".tbl", ".foo", ".c_", "", ".123", ".tbl~", ".TBL", ".lib")},
    **{f"unknown/{name}": C for name in (".spans", "two words", "two words.tbl", "spans.c.disabled", "spans.asc")},
    "unknown/wide.tbl": C.encode("utf-16"),
    "unknown/wide-be.dat": C.encode("utf-16-be"),
    "unknown/rows.dat": _NUMBERS + C + _NUMBERS,
    **{f"included/spans{end}": C for end in (".inc", ".INC", ".inc.in", ".def", ".h")},
    "included/tag.inc": "/* <?php */\n// <?php\n" + C,
    "included/costs.inc": PERL,
    "included/seats.inc": "<p>Seats</p>\n" + PHP,
    "included/rounds.inc": RUBY,
    "untagged/spans.php": C,
    "untagged/seats.phtml": PHP.removeprefix("<?php\n"),
    "untagged/marked.php": "\ufeff" + C,
    **{f"endings/prune{end}": SHELL for end in (".bats", ".command", ".ebuild", ".zsh-theme")},
    **{f"endings/{name}": SHELL for name in (".envrc", "gradlew", "PKGBUILD")},
    **{f"endings/rounds{end}": RUBY for end in (".podspec", ".rbi", ".thor", ".jbuilder")},
    **{f"endings/{name}": RUBY for name in ("Fastfile", "Brewfile", "Guardfile", ".pryrc")},
    **{f"endings/seats{end}": PHP for end in (".phpt", ".ctp", ".php7", ".module")},
    **{f"raku/tides{end}": RAKU for end in (".pm", ".t", ".pl", ".p6", ".pm6", ".rakutest", ".nqp")},
    "raku/version.pm": "use v6;\n" + RAKU.replace(" is export", ""),
    "raku/tides": "#!/usr/bin/env raku\n" + RAKU,
    "raku/documented.pm": ODD["tides.pm"],
    "raku/perl.pm": "=begin pod\n\n=cut\n\n" + PERL,
    "pod/two.pm": f"{_LONE}=pod\n\n=head1 A\n\n{_indented(PERL)}\n=cut\n",
    "pod/five.pm": f"{_LONE}=pod\n\n=encoding utf8\n\n=head1 A\n\n=over\n\n=item B\n\n{_indented(PERL)}\n=back\n",
    "pod/begin.pm": f"{_LONE}=pod\n\n=begin code\n\n=for a\n\n{_indented(PERL)}\n=end code\n\n=cut\n",
    "pod/data.pl": f"1;\n__DATA__\n=pod\n\n=head1 A\n\n=head2 B\n\n{PERL}",
    "pod/costs.txt": f"=pod\n\n=head1 A\n\n=head2 B\n\n=head3 C\n\n{_indented(PERL)}",
    "nested/here.sh": HERE + SHELL + "E\nD\nC\nB\nA\n",
    "nested/begin.rb": f"a = 1\n__END__\n=begin\n=begin\n=begin\n=begin\n{RUBY}=end\n",
    "nested/lines.c": "int a;\n" + _indented(C, "// // // // ") + "int b;\n",
    **{f"related/ledger{end}": JAVA for end in (".groovy", ".kt", ".scala", ".cs", ".jsh", ".pde")},
    "related/ours.cs": "class Ours\n{\n    int one = 1;\n" + JAVA.replace(".length", ".Length").partition("\n")[2],
    "escaped/Ledger.java": _escaped(JAVA),
    "escaped/All.java": re.sub(r"\S", lambda mark: f"\\uuu{ord(mark[0]):04X}", JAVA),
    "escaped/spans.c": re.sub(r"[{}\[\]]", lambda mark: {"{": "<%", "}": "%>", "[": "<:", "]": ":>"}[mark[0]], C),
}


def _index(folder: Path, files: dict[str, str]) -> Path:
    source = folder / "source"
    source.mkdir()
    for name, text in files.items():
        (source / name).write_text(text)
    build(source, folder / "known.db")
    return folder / "known.db"


def _found(folder: Path, index: Path, files: dict[str, str | bytes]) -> dict[str, set[str]]:
    """The paths of the sources that copies were found of, by the path of the file."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    ended = winnow("check", *files, "--index", index, "--format", "json", cwd=folder)
    found: dict[str, set[str]] = {}
    for finding in ended.findings():
        if finding["level"] == "error":
            found.setdefault(finding["path"], set()).add(finding["source"]["path"])
    return found


@pytest.fixture(scope="module")
def of_ordinary(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    folder = tmp_path_factory.mktemp("copies")
    return _found(folder, _index(tmp_path_factory.mktemp("ordinary"), ORDINARY), COPIES)


@pytest.fixture(scope="module")
def of_odd(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    folder = tmp_path_factory.mktemp("copies")
    return _found(folder, _index(tmp_path_factory.mktemp("odd"), ODD), dict(ORDINARY))


@pytest.mark.parametrize("path", COPIES)
def test_a_copy_is_found_whatever_its_file_is_called(path: str, of_ordinary: dict[str, set[str]]) -> None:
    assert path in of_ordinary


@pytest.mark.parametrize("path", ORDINARY)
def test_known_code_is_found_whatever_its_file_was_called(path: str, of_odd: dict[str, set[str]]) -> None:
    assert {name.partition(".")[0].lower() for name in of_odd[path]} == {path.partition(".")[0].lower()}


def test_text_of_no_known_language_that_quotes_nothing_known_is_no_finding(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"notes.tbl": _NUMBERS, "a.inc": "Words.\n" * 50, "b.php": "<p>Words</p>\n" * 50}
    assert _found(tmp_path, _index(tmp_path, ORDINARY), files) == {}
