"""Several versions of one project in one index.

Names of sources are unique in an index, so a version of a project of which there are several is stored under the name
``NAME@VERSION``, with VERSION as its version. What names it to a person, or is held against the rules that a person
has written, is NAME and VERSION like those of any other source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from winnow_ci.model import Source


def stored_name(project: str, version: str) -> str:
    """The name under which an index has a version of a project."""
    return f"{project}@{version}"


def told(source: Source) -> Source:
    """A source of an index as a person names it: a version of a project has the name of the project."""
    project = source.name.removesuffix(f"@{source.version}")
    return source._replace(name=project) if project and project != source.name else source
