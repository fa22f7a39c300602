"""What a comparison says, for people and as JSON (docs/compare.md); names are hostile and shown as such."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import winnow_ci
from winnow_ci.report.json_text import dump
from winnow_ci.report.printable import name, unicode
from winnow_ci.report.table import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.comparing.comparison import AllPairs, Comparison, Options, Pair, Side
    from winnow_ci.comparing.documents import Body
    from winnow_ci.comparing.pairing import Ranking
    from winnow_ci.comparing.shares import Share
    from winnow_ci.comparing.stretches import Stretch
    from winnow_ci.model import LineRange

SCHEMA_VERSION = 1
_HEADS = ("WEIGHT", "SHARED", "VERBATIM", "OF A", "OF B", "LONGEST IN A", "IN B", "A", "B")


def comparison_text(found: Comparison, options: Options) -> str:
    """Two bodies, for people."""
    rows = [
        (f"{letter}", _name(body), _number(body.files, "file"), _number(body.fingerprints, "fingerprint"))
        for letter, body in (("A", found.a), ("B", found.b))
    ]
    shares = found.shares
    told = [
        ("resemblance", _share(shares.resemblance), "of the fingerprints of A or B, those of both"),
        ("containment of A", _share(shares.of_a), "of the fingerprints of A, those of B"),
        ("containment of B", _share(shares.of_b), "of the fingerprints of B, those of A"),
    ]
    how = f"estimated from the {options.sketch:,} smallest" if options.sketch else "from all fingerprints"
    return (
        "\n\n".join(
            [table(rows), f"{table(told)}\n{how}, {_parameters(options)}", _pairs(found.pairs, found.ranking, options)]
        )
        + "\n"
    )


def all_pairs_text(pairs: AllPairs, options: Options) -> str:
    """A set, for people."""
    head = f"{name(_name(pairs.body))}: {_number(pairs.body.files, 'file')}, {_parameters(options)}"
    return f"{head}\n\n{_pairs(pairs.pairs, pairs.ranking, options)}\n"


def comparison_json(found: Comparison, options: Options) -> str:
    """Two bodies, as JSON."""
    shares = found.shares
    content = {
        **_head(options),
        "a": _body(found.a),
        "b": _body(found.b),
        "sketch": options.sketch,
        "resemblance": shares.resemblance._asdict(),
        "containment_of_a": shares.of_a._asdict(),
        "containment_of_b": shares.of_b._asdict(),
        **_ranking(found.pairs, found.ranking, options),
    }
    return dump(content)


def all_pairs_json(pairs: AllPairs, options: Options) -> str:
    """A set, as JSON."""
    return dump({**_head(options), "set": _body(pairs.body), **_ranking(pairs.pairs, pairs.ranking, options)})


def _name(body: Body) -> str:
    return f"{body.name} ({body.commit[:12]})" if body.commit else body.name


def _parameters(options: Options) -> str:
    p = options.parameters
    return f"k = {p.k}, w = {p.w}, {p.selection} selection"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _share(share: Share) -> str:
    return f"{share.value:.3f}" + (f" ± {share.error:.3f}" if share.error else "")


def _pairs(pairs: Sequence[Pair], ranking: Ranking, options: Options) -> str:
    limits = options.limits
    found = f"{_number(ranking.found, 'pair')} of files with at least {_number(limits.least, 'fingerprint')} in common"
    if ranking.found > len(pairs):
        found += f", of which the first {len(pairs):,} are shown (--top)"
    if ranking.left_out:
        many = f"more than {limits.most_documents} files make no pairs (--most-files)"
        found += f"; {_number(ranking.left_out, 'fingerprint')} of {many}"
    return f"{table([_HEADS, *map(_row, pairs)])}\n{found}" if pairs else found


def _row(pair: Pair) -> tuple[str, ...]:
    longest = pair.longest
    places = (_lines(longest.lines), _lines(longest.lines_there)) if longest else ("-", "-")
    return (
        f"{pair.weight:,.1f}",
        f"{pair.shared:,}",
        f"{pair.verbatim:.0%}",
        _percent(pair.a),
        _percent(pair.b),
        *places,
        pair.a.path,
        pair.b.path,
    )


def _percent(side: Side) -> str:
    return f"{side.share:.0%}"


def _lines(lines: LineRange) -> str:
    return f"{lines.first}-{lines.last}"


def _head(options: Options) -> dict[str, Any]:
    p = options.parameters
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "winnow-ci", "version": winnow_ci.__version__},
        "parameters": {"k": p.k, "w": p.w, "selection": p.selection},
    }


def _body(body: Body) -> dict[str, Any]:
    skipped = [{"path": unicode(skip.path), "reason": skip.reason} for skip in body.skipped]
    return {
        "name": unicode(body.name),
        "commit": body.commit,
        "files": body.files,
        "fingerprints": body.fingerprints,
        "files_skipped": skipped,
        "files_fallback": [{"path": unicode(file.path), "reason": file.reason} for file in body.fallback],
    }


def _ranking(pairs: Sequence[Pair], ranking: Ranking, options: Options) -> dict[str, Any]:
    limits = options.limits
    return {
        "least": limits.least,
        "most_files": limits.most_documents,
        "fingerprints_of_too_many_files": ranking.left_out,
        "matches": ranking.matches,
        "pairs_found": ranking.found,
        "pairs": [_pair(pair) for pair in pairs],
    }


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "a": _side(pair.a),
        "b": _side(pair.b),
        "shared": pair.shared,
        "weight": pair.weight,
        "verbatim": pair.verbatim,
        "stretches": [_stretch(stretch) for stretch in pair.stretches],
    }


def _side(side: Side) -> dict[str, Any]:
    return {"path": unicode(side.path), "fingerprints": side.fingerprints, "share": side.share}


def _stretch(stretch: Stretch) -> dict[str, Any]:
    sides = (("a", stretch.lines), ("b", stretch.lines_there))
    lines = {letter: {"start_line": own.first, "end_line": own.last} for letter, own in sides}
    return {**lines, "fingerprints": stretch.fingerprints, "verbatim": stretch.verbatim}
