"""Fetch one file of the package index that pip is configured for, and run nothing of it.

    python pypi.py NAME FILE FOLDER

`pip download` builds an sdist's metadata, which runs the package's code. This is pip's own client up to that point: its
options, its network session, its list of a project's files, its download.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pip._internal.cli.index_command import IndexGroupCommand
from pip._internal.index.collector import LinkCollector
from pip._internal.network.download import Downloader

if TYPE_CHECKING:
    from optparse import Values


class Fetch(IndexGroupCommand):
    def add_options(self) -> None:
        from pip._internal.cli import cmdoptions

        group = cmdoptions.make_option_group(cmdoptions.index_group, self.parser)
        self.parser.insert_option_group(0, group)
        self.parser.insert_option_group(0, self.cmd_opts)

    def run(self, options: Values, args: list[str]) -> int:
        name, file, folder = args
        with self._build_session(options) as session:
            collected = LinkCollector.create(session, options=options)
            for location in collected.search_scope.get_index_urls_locations(name):
                page = collected.fetch_response(_link(location))
                for link in _links(page) if page else ():
                    if link.filename == file:
                        Downloader(session, "off")(link, folder)
                        return 0
        print(f"{file}: not in the index", file=sys.stderr)
        return 1


def _link(location: str) -> object:
    from pip._internal.models.link import Link

    return Link(location)


def _links(page: object) -> object:
    from pip._internal.index.collector import parse_links

    return parse_links(page)


if __name__ == "__main__":
    sys.exit(Fetch("fetch", "fetch one file of an index").main(sys.argv[1:]))
