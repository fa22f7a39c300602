"""Where the job's service shows the repository in a browser, by the variables of its environment.

GitHub: ``GITHUB_SERVER_URL`` and ``GITHUB_REPOSITORY``. GitLab: ``CI_PROJECT_URL``. A service may have any host, so
the variables are believed as far as they are addresses without anything that a report could misread.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci.model.changes import WebRepository

if TYPE_CHECKING:
    from collections.abc import Mapping

_URL = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*", re.ASCII)
_LONGEST = 500


def github(environment: Mapping[str, str]) -> WebRepository | None:
    """The repository that the job of a GitHub Actions runner is for."""
    url = f"{environment.get('GITHUB_SERVER_URL', '')}/{environment.get('GITHUB_REPOSITORY', '')}"
    return WebRepository(url, "github") if _is_address(url) else None


def gitlab(environment: Mapping[str, str]) -> WebRepository | None:
    """The project that the job of GitLab is for."""
    url = environment.get("CI_PROJECT_URL", "")
    return WebRepository(url, "gitlab") if _is_address(url) else None


def _is_address(url: str) -> bool:
    return bool(_URL.fullmatch(url)) and len(url) <= _LONGEST
