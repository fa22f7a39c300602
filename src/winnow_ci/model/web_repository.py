"""Where people look at the repository in a browser."""

from __future__ import annotations

from typing import Literal

from winnow_ci.named_tuples import NamedTuple


class WebRepository(NamedTuple):
    """A repository on a web server that shows the files of a commit.

    Attributes:
        url: of the repository, without a slash at its end; has no character that Markdown or HTML could misread.
        service: whose way of addressing lines the server has.
    """

    url: str
    service: Literal["github", "gitlab"]
