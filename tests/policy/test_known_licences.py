"""Which patterns of licences match nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from winnow_ci.policy.known_licences import remedy_for


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
    ],
)
def test_a_pattern_that_matches_nothing_has_a_remedy(pattern: str, meant: str) -> None:
    assert meant in str(remedy_for(pattern))
    assert remedy_for(pattern) is not None


def test_what_everybody_uses_is_found_without_the_list() -> None:
    """A commit hook reads the policy each time."""
    code = (
        "import sys; from winnow_ci.policy.known_licences import remedy_for; "
        "assert not any(map(remedy_for, ['GPL-*', 'MIT', 'unknown', 'BSD-*', 'AGPL-3.0-only'])); "
        "sys.exit('license_expression' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
