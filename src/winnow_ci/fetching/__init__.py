"""Fetch pinned sources into the user's cache, and never run them.

A source that cannot be fetched, or has the wrong content, is a ``FetchError``; a wrong name is a
``ConfigError``. Only what fetches pays for the imports: a scan with indexes in files does not.
"""

from winnow_ci.fetching.packages import Artifact, ResolvedSource, check_package, fetch, pinned, resolve

__all__ = ["Artifact", "ResolvedSource", "check_package", "fetch", "pinned", "resolve"]
