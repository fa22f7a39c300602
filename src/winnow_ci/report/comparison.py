"""Report what ``winnow-ci compare`` found, as text, as JSON and as a page (docs/compare.md).

Hostile names are made harmless. The page shows pairs of files with bars, and each pair side by side, as MOSS does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from winnow_ci import __version__
from winnow_ci.model import comparison as model
from winnow_ci.model.regions import ExactRun
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report.printable import encodable_json, name, table
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    from markupsafe import Markup

_HEADS = "WEIGHT", "SHARED", "VERBATIM", "OF A", "OF B", "LONGEST IN A", "IN B", "EQUAL", "RENAMED", "WORDS", "A", "B"
_SHARES = (
    ("resemblance", "share of all fingerprints that A and B have in common"),
    ("containment of A", "share of A's fingerprints that B has too"),
    ("containment of B", "share of B's fingerprints that A has too"),
)


def as_text(found: model.Comparison, options: model.ComparisonOptions) -> str:
    """For people: what was compared, then a table of the pairs."""
    fingerprints = _fingerprints(found, options)
    if found.similarity is None:
        (body,) = found.bodies
        head = f"{name(_body_name(body))}: {counted(body.files, 'file')}, {fingerprints}"
    else:
        bodies = [(letter, _body_name(body), *_counts(body)) for letter, body in zip("AB", found.bodies, strict=True)]
        shares = [(what, _share(share), words) for (what, words), share in zip(_SHARES, found.similarity, strict=True)]
        head = f"{table(bodies)}\n\n{table(shares)}\n{_basis(options)}, {fingerprints}"
    return f"{head}\n\n{_pairs(found, options)}\n"


def _fingerprints(found: model.Comparison, options: model.ComparisonOptions) -> str:
    """How fingerprints were selected; with sketches also what they promise."""
    reduced = options.reduced
    if reduced is None:
        return options.parameters.described(", ")
    most = f"at most {counted(reduced.size or 0, 'entry', 'entries')}"
    size = most if reduced.size else f"the size for δ = {reduced.delta:g}"
    run = f"a shared run of {reduced.window:,} k-grams"
    missed = f"miss {run} with a chance of at most {found.miss:.2g}" if found.miss else f"never miss {run}"
    return f"k = {options.parameters.k}, bounded sketches of {size} a file; two of them {missed}"


def _body_name(body: model.ComparedBody) -> str:
    return f"{body.name} ({body.commit[:12]})" if body.commit else body.name


def _counts(body: model.ComparedBody) -> tuple[str, str]:
    return counted(body.files, "file"), counted(body.fingerprints, "fingerprint")


def _share(estimate: model.ShareEstimate) -> str:
    return f"{estimate.value:.3f}" + (f" ± {estimate.error:.3f}" if estimate.error else "")


def _basis(options: model.ComparisonOptions) -> str:
    """What shares were computed from."""
    if options.reduced is not None:
        return "from the entries of the sketches"
    return f"estimated from the {options.sketch:,} smallest" if options.sketch else "from all fingerprints"


def _pairs(found: model.Comparison, options: model.ComparisonOptions) -> str:
    limits = options.limits
    least = counted(limits.least, "fingerprint")
    text = f"{counted(found.found, 'pair')} of files with at least {least} in common"
    if found.found > len(found.pairs):
        text += f"; the first {len(found.pairs):,} are shown (--top)"
    if found.left_out:
        left_out = counted(found.left_out, "fingerprint")
        text += f"; {left_out} in more than {limits.most_documents} files left out (--most-files)"
    return f"{table([_HEADS, *map(_row, found.pairs)])}\n{text}" if found.pairs else text


def _row(pair: model.FilePair) -> tuple[str, ...]:
    longest = pair.longest
    return (
        f"{pair.weight:,.1f}",
        f"{pair.shared:,}",
        f"{pair.verbatim:.0%}" if pair.stretches else "-",
        f"{pair.a.share:.0%}",
        f"{pair.b.share:.0%}",
        *((f"{own.first}-{own.last}" for own in (longest.lines, longest.lines_there)) if longest else ("-", "-")),
        *(f"{run.tokens:,}" if run else "-" for run in pair.exact or (None, None)),
        f"{pair.words:.2f}" if pair.exact else "-",
        pair.a.path,
        pair.b.path,
    )


def as_json(found: model.Comparison, options: model.ComparisonOptions) -> str:
    """For programs."""
    p, limits, reduced, similarity = options.parameters, options.limits, options.reduced, found.similarity
    bodies = [_body(body) for body in found.bodies]
    compared: dict[str, Any] = {"set": bodies[0]}
    if similarity is not None:
        compared = {
            "a": bodies[0],
            "b": bodies[1],
            "sketch": options.sketch,
            "resemblance": similarity.resemblance._asdict(),
            "containment_of_a": similarity.of_a._asdict(),
            "containment_of_b": similarity.of_b._asdict(),
        }
    content = {
        "schema_version": 1,
        "tool": {"name": "winnow-ci", "version": __version__},
        "parameters": {"k": p.k, "w": p.w, "selection": p.selection},
        "document_sketch": reduced and {"scheme": "bounded", **reduced._asdict(), "miss": found.miss},
        **compared,
        "least": limits.least,
        "most_files": limits.most_documents,
        "rank": limits.rank,
        "fingerprints_of_too_many_files": found.left_out,
        "matches": found.matches,
        "pairs_found": found.found,
        "pairs": [_pair(pair) for pair in found.pairs],
    }
    return encodable_json(content)


def _body(body: model.ComparedBody) -> dict[str, Any]:
    return {
        "name": body.name,
        "commit": body.commit,
        "files": body.files,
        "fingerprints": body.fingerprints,
        "files_skipped": [{"path": skip.path, "reason": skip.reason} for skip in body.skipped],
        "files_fallback": [file._asdict() for file in body.fallback],
    }


def _pair(pair: model.FilePair) -> dict[str, Any]:
    equal, renamed = pair.exact or (None, None)
    return {
        "a": pair.a._asdict(),
        "b": pair.b._asdict(),
        "shared": pair.shared,
        "weight": pair.weight,
        "verbatim": pair.verbatim,
        "longest_equal": equal and _sides(equal, tokens=equal.tokens),
        "longest_renamed": renamed and _sides(renamed, tokens=renamed.tokens),
        "words": pair.words,
        "stretches": [_sides(one, fingerprints=one.fingerprints, verbatim=one.verbatim) for one in pair.stretches],
    }


def _sides(of: model.SharedStretch | ExactRun, **counts: int) -> dict[str, Any]:
    sides = (("a", of.lines), ("b", of.lines_there))
    return {**{letter: {"start_line": own.first, "end_line": own.last} for letter, own in sides}, **counts}


class ListedPair(NamedTuple):
    """A line of the list of pairs, and the name of the pair in the page."""

    pair: model.FilePair
    anchor: str


def as_page(found: model.Comparison, options: model.ComparisonOptions, pairs: Sequence[model.FilePair]) -> str:
    """The page of a comparison: the same bytes for the same files."""
    from winnow_ci.report.html.markup import body_of, page_of  # noqa: PLC0415 - only a page needs Jinja2
    from winnow_ci.report.html.panes import panes, ribbon_of_lines  # noqa: PLC0415 - only a page needs them

    listed = [ListedPair(pair, f"pair-{number}") for number, pair in enumerate(pairs, 1)]

    def bodies(most_rows: int) -> Iterator[Markup]:
        for number, pair in enumerate(pairs):
            drawn = {
                "ribbon": ribbon_of_lines(pair.alignment) if pair.alignment else None,
                "panes": panes(pair.beside, most_rows) if pair.beside else None,
            }
            renames = [(new, old, times) for old, new, times in pair.beside.renames] if pair.beside else []
            yield body_of("pair.html.j2", listed, number, renames, **drawn)

    return page_of(
        "comparison.html.j2",
        listed,
        bodies,
        names=[_body_name(body) for body in found.bodies],
        read=[", ".join(_counts(body)) for body in found.bodies],
        not_read=[skip for body in found.bodies for skip in body.skipped if skip.state == "not-scanned"],
        shares=found.similarity and [_share(each) for each in found.similarity],
        basis=_basis(options),
        parameters=options.parameters.described(", "),
        found=found.found,
        least=options.limits.least,
        heaviest=max((pair.weight for pair in pairs), default=1.0) or 1.0,
    )
