"""A configuration that others extend: fetched by its URL and sha256, and read together with that of a repository."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from winnow_ci import ci
from winnow_ci.config.settings import MOST_BYTES_OF_SETTINGS, Settings, SharedConfiguration
from winnow_ci.config.team_files import read_untrusted
from winnow_ci.errors import FetchError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import CONFIGURATION

if TYPE_CHECKING:
    from collections.abc import Callable

    from winnow_ci.config.index_reference import PinnedFile
    from winnow_ci.model import Counting


class ReadSettings(NamedTuple):
    """What counts in a repository.

    Attributes:
        settings: with those of the configuration that the repository's own extends.
        written: what the repository's own configuration says.
    """

    settings: Settings = Settings()
    written: Settings = Settings()

    def below(self, folder: str) -> ReadSettings:
        """The same for a configuration in a folder of the repository, as git calls it; empty for the root."""
        return ReadSettings(self.settings.below(folder), self.written.below(folder))


def extended(
    read: Callable[[SharedConfiguration | None], Settings],
    counting: Counting,
    check: Callable[[Settings], object] = lambda _: None,
) -> ReadSettings:
    """The settings of a repository, and what its own configuration says of them.

    Args:
        read: reads the repository's own configuration, given the one that it extends.
        counting: shows the progress of a download.
        check: sees what the own configuration says before anything is fetched.

    Raises:
        ConfigError: one of the two has a mistake.
        FetchError: the configuration that is extended could not be fetched, or has another sha256.
        WinnowError: what ``check`` raises.
    """
    written = read(None)
    check(written)
    return ReadSettings(read(_fetched(written.extends, counting)) if written.extends else written, written)


def _fetched(extends: PinnedFile, counting: Counting) -> SharedConfiguration:
    from winnow_ci import fetching  # noqa: PLC0415 - what downloads takes 0.1 s to import

    try:
        with counting("fetching the configuration", "B") as progress:
            # On a CI, what the cache folder remembers may be anybody's.
            remember = not ci.is_ci(os.environ)
            file = fetching.pinned(
                extends.url, extends.sha256, progress, most=MOST_BYTES_OF_SETTINGS, remember=remember
            )
    except FetchError as error:
        raise FetchError(f"{CONFIGURATION} extends {error.problem}", error.remedy) from error
    return SharedConfiguration(read_untrusted(file, MOST_BYTES_OF_SETTINGS, "delete it from the cache"), extends.url)
