"""The source of a copy is the place that a person would name; a filter drops a finding, or makes it a note."""

from __future__ import annotations

import re
from math import inf
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.reports import finding
from winnow_ci.evidence.model import evidence_model
from winnow_ci.model import LineRange, Place, Source, SourceFile
from winnow_ci.model.findings import Agreement
from winnow_ci.model.regions import Region, Signs, Stretch
from winnow_ci.scanner.attribute import _literals, _strength, filtered, found_in, generator_of
from winnow_ci.scanner.files import Match
from winnow_ci.scanner.match import without_imports

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model.findings import Finding


# Log-odds of a match that is an error.
LIKELY = 10.0


def match(
    source: str,
    path: str,
    start: int = 0,
    end: int = 100,
    *,
    verbatim: int | None = None,
    changed: str = "src/util.c",
    version: str | None = None,
    bits: float = 0.0,
) -> Match:
    tokens = end - start
    kind = "verbatim" if verbatim is None else "renamed"
    same = tokens if verbatim is None else verbatim
    region = Region(0, start, end, 0, tokens, tokens, same, 5, kind, (), bits, least_odds=LIKELY)
    place = Place(SourceFile(Source(source, version), path), LineRange(1, 10))
    return Match(changed, region, LineRange(start + 1, end), (), b"copied", (place,))


def findings(groups: Sequence[list[Match]]) -> list[Finding]:
    return [finding for finding, _ in found_in([tuple(group) for group in groups], 16)]


def sources(*files: list[Match]) -> list[tuple[str, list[str]]]:
    return [(f.source.file.source.name, [place.file.source.name for place in f.also_in]) for f in findings(files)]


def test_a_verbatim_source_comes_before_a_renamed_one() -> None:
    assert sources([match("a", "x.c", verbatim=50), match("b", "x.c")]) == [("b", ["a"])]


def test_of_equal_sources_the_file_of_the_same_name_comes_first() -> None:
    assert sources([match("a", "x.c"), match("b", "lib/util.c")]) == [("b", ["a"])]


def test_of_equal_files_the_source_of_most_of_the_change_comes_first() -> None:
    first = [match("a", "x.c"), match("b", "x.c")]
    second = [match("b", "y.c", changed="src/other.c")]
    assert sources(first, second) == [("b", []), ("b", ["a"])]


def test_an_embedded_copy_comes_after_what_it_is_a_copy_of() -> None:
    assert sources([match("bundle", "third_party/x.c"), match("zlib", "x.c")]) == [("zlib", ["bundle"])]
    assert sources([match("bundle", "lib/Zlib-1.2/x.c"), match("zlib", "x.c")]) == [("zlib", ["bundle"])]
    assert sources([match("bundle", "lib/zlib/util.c"), match("zlib", "x.c")]) == [("zlib", ["bundle"])]


def test_of_files_that_say_the_same_the_one_with_most_tokens_comes_first() -> None:
    files = [
        match("terraform", path, end=end) for path, end in (("simple-v6/provider.go", 95), ("simple/provider.go", 100))
    ]
    (found,) = findings([files])
    assert found.source.file.path == "simple/provider.go"
    (found,) = findings([[match("a", "x.c", end=100), match("a", "deep/x.c", end=100)]])
    assert found.source.file.path == "x.c"
    # The bracket after a copy may be that of an old version by chance.
    versions = [match("zlib", "x.c", end=end, version=version) for version, end in (("1.2", 101), ("1.3", 100))]
    (found,) = findings([versions])
    assert found.source.file.source.version == "1.3"


def test_of_the_versions_of_one_project_the_newest_comes_first() -> None:
    versions = [match("zlib", "x.c", version=version) for version in ("1.2.9", "1.2.13", "1.2.13rc1", "1.3-beta")]
    (found,) = findings([versions])
    assert [p.file.source.version for p in (found.source, *found.also_in)] == [
        "1.3-beta",
        "1.2.13",
        "1.2.13rc1",
        "1.2.9",
    ]
    assert sources([match("zlib-1.9", "x.c"), match("zlib-1.10", "x.c")]) == [("zlib-1.10", ["zlib-1.9"])]
    (found,) = findings([[match("zlib", "x.c"), match("zlib", "x.c", version="beta")]])
    assert found.source.file.source.version == "beta"
    assert sources([match("zlib-1.8", "x.c"), match("zlib-1.9", "x.c")]) == [("zlib-1.9", ["zlib-1.8"])]


def test_ids_do_not_depend_on_lines_but_tell_repetitions_apart() -> None:
    one = match("a", "x.c")
    moved = one._replace(lines=LineRange(501, 600))
    (alone,) = findings([[moved]])
    (first,) = findings([[one]])
    assert alone.id == first.id
    again = moved._replace(region=one.region._replace(start=500, end=600))
    both = findings([[one], [again]])
    assert [finding.id for finding in both] == [first.id, f"{first.id}-2"]
    assert "-" not in first.id


def test_a_finding_is_as_strong_as_its_log_odds_say() -> None:
    cut = evidence_model().error
    likely = match("a", "x.c", verbatim=50)._replace(agreement=Agreement(100, 50))
    odds = [cut + 0.01, cut - 0.01, evidence_model().report - 0.01]
    found = [findings([[likely._replace(region=likely.region._replace(least_odds=each))]]) for each in odds]
    assert [[each.strength for each in one] for one in found] == [["strong"], ["weak"], []]


def test_what_several_changed_files_have_of_one_stretch_is_less_likely_a_copy() -> None:
    signs = Signs(whole=100.0, remarks=40.0, run=64)
    region = match("a", "x.c", verbatim=50).region._replace(least_odds=-inf, bits=160.0, signs=signs)
    files = [match("a", "x.c", changed=f"src/{number}.c")._replace(region=region) for number in range(4)]
    files = [one._replace(agreement=Agreement(100, 50)) for one in files]
    (alone,) = findings([[files[0]]])
    together = findings([[one] for one in files])
    assert [found.path for found in together] == [one.path for one in files]
    assert all(found.log_odds < alone.log_odds for found in together)
    elsewhere = files[1]._replace(region=region._replace(source_start=500, source_end=600))
    assert findings([[files[0]], [elsewhere]])[0].log_odds == alone.log_odds


@pytest.mark.parametrize(("bits", "first"), [(95.0, "b"), (94.99, "a")])
def test_sources_within_five_percent_of_the_best_score_are_about_equal(bits: float, first: str) -> None:
    renamed, verbatim = match("a", "x.c", verbatim=90, bits=100.0), match("b", "x.c", bits=bits)
    assert sources([renamed, verbatim])[0][0] == first


@pytest.mark.parametrize(
    "folder",
    "3rdparty bower_components extern external externals node_modules site-packages third-party thirdparty vendor "
    "vendored vendors Third_Party".split(),
)
def test_what_stands_in_a_folder_for_code_of_others_is_an_embedded_copy(folder: str) -> None:
    assert sources([match("a", f"{folder}/x.c"), match("z", "lib/sub/x.c")]) == [("z", ["a"])]
    assert sources([match("a", "suppliers/x.c"), match("z", "lib/sub/x.c")]) == [("a", ["z"])]


MARK = b"// Code generated by shapes. DO NOT EDIT.\n"
STATES = "Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Georgia Hawaii Idaho".split()
NUMBERS = [str(number) for number in range(20)]


def after(content: bytes, one: Finding, min_tokens: int = 16) -> Finding | None:
    """What the filters make of a finding in a file of this content."""
    region = Region(0, 0, 40, 0, 40, 40, 40, 1, "renamed", (Stretch(0, 0, 40),))
    found = list(
        filtered([(one, Match(one.path, region, one.lines, (), b"", (one.source,), content=content))], min_tokens)
    )
    return found[0][0] if found else None


def copied(path: str = "a.go", known: str = "b.go", kind: str = "renamed", lines: tuple[int, int] = (1, 9)) -> Finding:
    one = finding(path=path)._replace(kind=kind, strength="strong", lines=LineRange(*lines), identical=False)
    return one._replace(source=one.source._replace(file=one.source.file._replace(path=known)))


@pytest.mark.parametrize(
    ("content", "one", "name"),
    [
        (b"", copied(), None),
        (MARK, copied(), "generated code"),
        (b"# @generated\n", copied("a.py"), "generated code"),
        (b"\n" * 3000 + MARK, copied(), None),
        (b"// The code that generated this.\n", copied(), None),
        (b"", copied("a.pb.go"), "generated code"),
        (b"", copied(known="b.pb.go"), "generated code"),
        (MARK, copied(kind="verbatim"), None),
        (b"", copied("a.pb.go", kind="verbatim"), None),
        (b"", copied("a.pb.go", "b.pb.go", kind="verbatim"), "generated code"),
        (MARK, copied()._replace(identical=True), None),
    ],
)
def test_edited_copies_in_generated_code_are_notes(content: bytes, one: Finding, name: str | None) -> None:
    found = after(content, one)
    assert found is not None
    assert (found.filter, found.strength) == (name, "weak" if name else "strong")


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        (STATES, "list of facts"),
        (STATES[::-1], None),
        (STATES[:11], None),
        (NUMBERS, "list of facts"),
    ],
)
def test_literals_in_rising_order_are_facts(facts: list[str], name: str | None) -> None:
    rows = b"const ALL = [\n" + b"".join(b'    "%s",\n' % fact.encode() for fact in facts) + b"];\n"
    found = after(rows, copied("a.ts", lines=(2, len(facts) + 1)))
    assert found is not None
    assert found.filter == name


def test_rising_literals_among_other_code_are_no_list() -> None:
    rows = b"".join(b'    state("%s").drawn(by, hand, on, paper);\n' % state.encode() for state in STATES)
    found = after(rows, copied("a.ts", lines=(1, len(STATES))))
    assert found is not None
    assert found.filter is None


@pytest.mark.parametrize(
    ("strength", "matched", "stays"), [("weak", 15, False), ("weak", 16, True), ("strong", 15, True)]
)
def test_weak_pieces_of_few_tokens_are_dropped(strength: str, matched: int, *, stays: bool) -> None:
    one = copied()
    one = one._replace(strength=strength, agreement=one.agreement._replace(matched=matched))
    assert (after(b"", one) is not None) == stays
    assert after(b"", one, min_tokens=15) is not None
    assert (after(b"", one, min_tokens=17) is not None) == stays


@pytest.mark.parametrize(("imported", "stays"), [(36, False), (35, True)])
def test_import_lists_are_dropped(imported: int, *, stays: bool) -> None:
    region = Region(0, 0, 40, 0, 40, 40, 40, 1, "verbatim", (Stretch(0, 0, 40),))
    marks = np.arange(40) < imported
    assert list(without_imports([region], marks)) == [region] * stays
    assert list(without_imports([region._replace(identical=True)], marks))
    assert list(without_imports([region._replace(is_run=True)], marks))


@pytest.mark.parametrize(
    ("path", "generator"),
    [
        ("internal/plans/planfile.pb.go", "protoc"),
        ("setup_grpc.pb.go", "protoc"),
        ("onnx/onnx_ml_pb2.py", "protoc"),
        ("src/model.pb.cc", "protoc"),
        ("app/migrations/0001_initial.py", "makemigrations of Django"),
        ("migrations/0012_name.py", "makemigrations of Django"),
        ("tests/test_migrations/0012_name.py", "makemigrations of Django"),
        ("api/zz_generated.deepcopy.go", "the code generator of Kubernetes"),
        ("zsyscall_windows.go", "mksyscall of Go"),
        ("src/parser.tab.c", "bison"),
        ("lex.yy.c", "flex"),
        ("python/binding_wrap.cxx", "SWIG"),
        ("src/pb.go", None),
        ("src/pb2.py", None),
        ("app/migrations/helpers.py", None),
        ("app/0001_initial.py", None),
        ("src/wrap.c", None),
        ("src/Model.PB.go", None),
        ("planfile.pb.go/main.go", None),
        ("app/migrations/0001_x.py/core.c", None),
    ],
)
def test_a_generator_is_known_by_the_name_of_its_file(path: str, generator: str | None) -> None:
    assert generator_of(path) == generator


@pytest.mark.parametrize(
    ("above", "given", "strength"),
    [
        (0.0, {}, "strong"),
        (-0.001, {}, "weak"),
        (-9.0, {"identical": True}, "strong"),
        (9.0, {"filter": "imports"}, "weak"),
    ],
)
def test_a_finding_is_strong_from_the_cut_on(above: float, given: dict[str, object], strength: str) -> None:
    cut = evidence_model().error
    assert _strength(finding()._replace(log_odds=cut + above, **given)) == strength
    assert _strength(finding()._replace(log_odds=cut + above + 1, **given), cut + 1) == strength


LITERAL = re.compile(rb"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\b\d[\w.]*")


@given(line=st.lists(st.sampled_from("\"'\\ab1 2.,_"), max_size=20).map("".join))
@example(line='"a" don\'t "\\" 12')
def test_literals_are_numbers_and_strings_that_end_on_their_line(line: str) -> None:
    found, rest = _literals(line.encode())
    assert found == LITERAL.findall(line.encode())
    assert rest == LITERAL.sub(b"", line.encode())
