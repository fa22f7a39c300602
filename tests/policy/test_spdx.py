from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.errors import ExitStatus, UsageError
from winnow_ci.policy.license_policy import LicensePolicy
from winnow_ci.policy.spdx import canonical_expression, remedy_for


@pytest.mark.parametrize(
    ("given_text", "canonical"),
    [
        ("MIT", "MIT"),
        (" mit ", "MIT"),
        ("Unknown", "unknown"),
        ("mit and apache-2.0 or bsd-3-clause", "(MIT AND Apache-2.0) OR BSD-3-Clause"),
        ("GPL-2.0+", "GPL-2.0-or-later"),
        ("Apache-2.0+", "Apache-2.0+"),
        ("gpl-2.0-only with classpath-exception-2.0", "GPL-2.0-only WITH Classpath-exception-2.0"),
        ("LicenseRef-Our-Own", "LicenseRef-Our-Own"),
        ("DocumentRef-x:LicenseRef-y AND mit", "DocumentRef-x:LicenseRef-y AND MIT"),
    ],
)
def test_expressions_get_one_form(given_text: str, canonical: str) -> None:
    assert canonical_expression(given_text) == canonical
    assert canonical_expression(canonical) == canonical


@pytest.mark.parametrize(
    ("expression", "named", "remedy"),
    [
        ("GPLv2", "'GPLv2'", "GPL-2.0-only"),
        ("MIT OR Apache2", "'Apache2'", "Apache-2.0"),
        ("zzz", "'zzz'", "such as MIT"),
        ("unknown OR MIT", "'unknown'", ""),
        ("MIT AND", "'MIT AND'", "such as MIT"),
        ("()", "'()'", "such as MIT"),
        ("( AND MIT", "'( AND MIT'", "such as MIT"),
        ("", "empty", "such as MIT"),
        ("MIT WITH Apache-2.0", "exception", "such as MIT"),
        ("a\nb", r"'a\nb'", ""),
    ],
)
def test_anything_else_is_an_error_that_helps(expression: str, named: str, remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        canonical_expression(expression)
    assert named in caught.value.problem
    assert remedy in caught.value.remedy
    assert caught.value.exit_status == ExitStatus.USAGE
    assert str(caught.value).count("\n") == 1


LICENCES = st.sampled_from(
    ["MIT", "mit", "GPL-2.0-only", "gpl-2.0+", "LicenseRef-x", "GPL-2.0-only WITH Classpath-exception-2.0"]
)
EXPRESSIONS = st.recursive(
    LICENCES,
    lambda inner: (
        st.builds("{} {} {}".format, inner, st.sampled_from(["AND", "or", "OR"]), inner) | inner.map("({})".format)
    ),
    max_leaves=6,
)
WORDS = [*"MIT GPL-2.0-only Classpath-exception-2.0 LicenseRef-x AND OR WITH ( ) zzz , é".split()]


@given(EXPRESSIONS | EXPRESSIONS.map(str.lower) | st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join))
def test_what_is_accepted_can_be_judged(expression: str) -> None:
    try:
        canonical = canonical_expression(expression)
    except UsageError:
        event("refused")
        return
    event(f"accepted, {'compound' if ' AND ' in canonical or ' OR ' in canonical else 'single'}")
    assert canonical_expression(canonical) == canonical
    assert LicensePolicy(default="allow").verdict(canonical) == "allow"


@pytest.mark.parametrize(
    "pattern",
    [
        *("MIT", "mit", "GPL-*", "*", "?PL-*", "BSD-3-Clause", "unknown", "UNKNOWN", "curl", "OFL-1.1", "CC-BY-*"),
        *("Apache-2.0+", "LicenseRef-Acme", "DocumentRef-a:LicenseRef-b", "Python-2.0.1"),
        *(
            "GPL-2.0-only WITH Classpath-exception-2.0",
            "* with *",
            "gpl-* WITH GCC-*",
            "Apache-2.0 with LLVM-exception",
        ),
    ],
)
def test_what_matches_a_licence_is_no_slip(pattern: str) -> None:
    assert remedy_for(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("Apache-2", "Apache-2.0"),
        ("GPL-2.0", "GPL-2.0-only"),
        ("GPLv3", "GPL-3.0-only"),
        ("MTI", "MIT"),
        ("Classpath-exception-2.0", "exception"),
        ("GPL-2.0-only WITH MIT", ""),
        ("unknwon", ""),
        ("GLP-*", "did you mean GPL-*?"),
        ("AGLP-*", "did you mean AGPL-*?"),
        ("GPL-3.0", "did you mean GPL-3.0-only or GPL-3.0-or-later?"),
        ("gpl3", "did you mean GPL-3.0-only or GPL-3.0-or-later?"),
        ("LGPL-2.1", "did you mean LGPL-2.1-only or LGPL-2.1-or-later?"),
    ],
)
def test_a_pattern_that_matches_nothing_has_a_remedy(pattern: str, meant: str) -> None:
    assert meant in str(remedy_for(pattern))
    assert remedy_for(pattern) is not None


def test_what_everybody_uses_is_found_without_the_list() -> None:
    """A commit hook reads the policy each time."""
    code = (
        "import sys, winnow_ci.policy.license_policy, winnow_ci.report; from winnow_ci.policy.spdx import remedy_for; "
        "assert not any(map(remedy_for, ['GPL-*', 'MIT', 'unknown', 'BSD-*', 'AGPL-3.0-only'])); "
        "sys.exit('license_expression' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
