"""What ``winnow-ci compare`` found, for people and as JSON (docs/compare.md). Hostile names are made harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import winnow_ci
from winnow_ci.report.printable import json_text, name, table, unicode
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    from winnow_ci.model.comparison import (
        BodySimilarity,
        ComparedBody,
        Comparison,
        ComparisonOptions,
        FilePair,
        PairedFile,
        SharedStretch,
        ShareEstimate,
    )
    from winnow_ci.model.side_by_side import ExactRun

SCHEMA_VERSION = 1
_HEADS = "WEIGHT", "SHARED", "VERBATIM", "OF A", "OF B", "LONGEST IN A", "IN B", "EQUAL", "RENAMED", "WORDS", "A", "B"


def as_text(found: Comparison, options: ComparisonOptions) -> str:
    """For people: what was compared, then a table of the pairs."""
    made = _made(found, options)
    if found.similarity is None:
        (body,) = found.bodies
        head = f"{name(body_name(body))}: {counted(body.files, 'file')}, {made}"
    else:
        head = f"{_bodies(found)}\n\n{_similarity(found.similarity)}\n{basis(options)}, {made}"
    return f"{head}\n\n{_pairs(found, options)}\n"


def _made(found: Comparison, options: ComparisonOptions) -> str:
    """What fingerprints are here; of sketches with what they promise."""
    reduced = options.reduced
    if reduced is None:
        return options.parameters.described(", ")
    size = (
        f"at most {counted(reduced.size, 'entry', 'entries')}"
        if reduced.size
        else f"the size for δ = {reduced.delta:g}"
    )
    text = f"k = {options.parameters.k}, bounded sketches of {size} a file"
    run = f"a shared run of {reduced.window:,} k-grams"
    if not found.miss:
        return f"{text}; two of them never miss {run}"
    return f"{text}; two of them miss {run} with a chance of at most {found.miss:.2g}"


def as_json(found: Comparison, options: ComparisonOptions) -> str:
    """For programs."""
    p, limits, reduced = options.parameters, options.limits, options.reduced
    content = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "winnow-ci", "version": winnow_ci.__version__},
        "parameters": {"k": p.k, "w": p.w, "selection": p.selection},
        "document_sketch": reduced and {"scheme": "bounded", **reduced._asdict(), "miss": found.miss},
        **_compared(found, options),
        "least": limits.least,
        "most_files": limits.most_documents,
        "rank": limits.rank,
        "fingerprints_of_too_many_files": found.left_out,
        "matches": found.matches,
        "pairs_found": found.found,
        "pairs": [_pair(pair) for pair in found.pairs],
    }
    return json_text(content)


def _bodies(found: Comparison) -> str:
    return table(
        [
            (
                letter,
                body_name(body),
                counted(body.files, "file"),
                counted(body.fingerprints, "fingerprint"),
            )
            for letter, body in zip("AB", found.bodies, strict=True)
        ]
    )


def body_name(body: ComparedBody) -> str:
    """What was compared, with its commit."""
    return f"{body.name} ({body.commit[:12]})" if body.commit else body.name


def _similarity(similarity: BodySimilarity) -> str:
    return table(
        [
            ("resemblance", share(similarity.resemblance), "of the fingerprints of A or B, those of both"),
            ("containment of A", share(similarity.of_a), "of the fingerprints of A, those of B"),
            ("containment of B", share(similarity.of_b), "of the fingerprints of B, those of A"),
        ]
    )


def share(estimate: ShareEstimate) -> str:
    """A share with its error, if it has one."""
    return f"{estimate.value:.3f}" + (f" ± {estimate.error:.3f}" if estimate.error else "")


def basis(options: ComparisonOptions) -> str:
    """What shares were computed from."""
    if options.reduced is not None:
        return "from the entries of the sketches"
    return f"estimated from the {options.sketch:,} smallest" if options.sketch else "from all fingerprints"


def _pairs(found: Comparison, options: ComparisonOptions) -> str:
    limits = options.limits
    least = counted(limits.least, "fingerprint")
    text = f"{counted(found.found, 'pair')} of files with at least {least} in common"
    if found.found > len(found.pairs):
        text += f", of which the first {len(found.pairs):,} are shown (--top)"
    if found.left_out:
        left_out = counted(found.left_out, "fingerprint")
        text += f"; {left_out} of more than {limits.most_documents} files make no pairs (--most-files)"
    return f"{table([_HEADS, *map(_row, found.pairs)])}\n{text}" if found.pairs else text


def _row(pair: FilePair) -> tuple[str, ...]:
    longest = pair.longest
    return (
        f"{pair.weight:,.1f}",
        f"{pair.shared:,}",
        f"{pair.verbatim:.0%}" if pair.stretches else "-",
        f"{pair.a.share:.0%}",
        f"{pair.b.share:.0%}",
        *((f"{own.first}-{own.last}" for own in (longest.lines, longest.lines_there)) if longest else ("-", "-")),
        *_runs(pair),
        f"{pair.words:.2f}" if pair.exact else "-",
        pair.a.path,
        pair.b.path,
    )


def _runs(pair: FilePair) -> tuple[str, ...]:
    """How many tokens the longest runs have."""
    runs = pair.exact or (None, None)
    return tuple(f"{run.tokens:,}" if run else "-" for run in runs)


def _compared(found: Comparison, options: ComparisonOptions) -> dict[str, Any]:
    if found.similarity is None:
        return {"set": _body(found.bodies[0])}
    return {
        "a": _body(found.bodies[0]),
        "b": _body(found.bodies[1]),
        "sketch": options.sketch,
        "resemblance": found.similarity.resemblance._asdict(),
        "containment_of_a": found.similarity.of_a._asdict(),
        "containment_of_b": found.similarity.of_b._asdict(),
    }


def _body(body: ComparedBody) -> dict[str, Any]:
    return {
        "name": unicode(body.name),
        "commit": body.commit,
        "files": body.files,
        "fingerprints": body.fingerprints,
        "files_skipped": [{"path": unicode(skip.path), "reason": skip.reason} for skip in body.skipped],
        "files_fallback": [{"path": unicode(file.path), "reason": file.reason} for file in body.fallback],
    }


def _pair(pair: FilePair) -> dict[str, Any]:
    return {
        "a": _file(pair.a),
        "b": _file(pair.b),
        "shared": pair.shared,
        "weight": pair.weight,
        "verbatim": pair.verbatim,
        "longest_equal": _run(pair.exact and pair.exact.equal),
        "longest_renamed": _run(pair.exact and pair.exact.renamed),
        "words": pair.words,
        "stretches": [_stretch(stretch) for stretch in pair.stretches],
    }


def _file(file: PairedFile) -> dict[str, Any]:
    return {"path": unicode(file.path), "fingerprints": file.fingerprints, "share": file.share}


def _stretch(stretch: SharedStretch) -> dict[str, Any]:
    return {**_sides(stretch), "fingerprints": stretch.fingerprints, "verbatim": stretch.verbatim}


def _run(run: ExactRun | None) -> dict[str, Any] | None:
    return {**_sides(run), "tokens": run.tokens} if run else None


def _sides(of: SharedStretch | ExactRun) -> dict[str, Any]:
    sides = (("a", of.lines), ("b", of.lines_there))
    return {letter: {"start_line": own.first, "end_line": own.last} for letter, own in sides}
