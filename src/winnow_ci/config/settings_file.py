"""From a configuration file to settings, and to the index files that these name.

Without a file, PyYAML is never imported.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.config.mistakes import InvalidContentError, config_error
from winnow_ci.config.settings import Settings
from winnow_ci.config.untrusted_file import read_untrusted
from winnow_ci.errors import ConfigError, IndexFileError
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import yaml

    from winnow_ci.config.settings import SharedConfiguration

MOST_BYTES = 64 * 1024
"""Of a configuration file."""

_BUILD = "build one with winnow-ci index build DIR --output FILE --name NAME"


def load_settings(path: Path, shared: SharedConfiguration | None = None) -> Settings:
    """The settings in a file; the index files and the baseline that it names are relative to its folder.

    Args:
        path: of the file.
        shared: the configuration that it extends; without it, what the file itself says is given.

    Raises:
        ConfigError: the file cannot be read, or its content is invalid.
    """
    remedy = "name a readable file with --config, or leave --config out"
    return parse_settings(read_untrusted(path, MOST_BYTES, remedy), str(path), path.parent, shared)


def parse_settings(text: bytes, origin: str, folder: Path, shared: SharedConfiguration | None = None) -> Settings:
    """The settings in the text of a configuration file.

    Args:
        text: the content of the file.
        origin: what messages call the file.
        folder: what the files that it names are relative to.
        shared: the configuration that it extends; without it, what the text itself says is given.

    Raises:
        ConfigError: the text is invalid, or that of ``shared``.
    """
    # 20 ms that a scan without a configuration file need not pay.
    from winnow_ci.config.settings_schema import settings_of, shared_settings_of  # noqa: PLC0415
    from winnow_ci.config.yaml_nodes import joined  # noqa: PLC0415

    root = _checked(text, origin, settings_of)
    if shared is not None:
        root = joined(_checked(shared.text, shared.origin, shared_settings_of), root)
    settings = Settings() if root is None else settings_of(root)
    baseline = folder / settings.baseline if settings.baseline else None
    indexes = tuple(folder / entry if isinstance(entry, Path) else entry for entry in settings.index)
    return replace(settings, index=indexes, baseline=baseline)


def _checked(text: bytes, origin: str, read: Callable[[yaml.Node], object]) -> yaml.Node | None:
    """The root node of a text that ``read`` finds no mistake in; None if it says nothing."""
    from winnow_ci.config.yaml_nodes import root_of  # noqa: PLC0415 - as above

    if len(text) > MOST_BYTES:
        raise ConfigError(f"{origin}: larger than {MOST_BYTES // 1024} KiB", "write shorter lists, with wildcards")
    try:
        root = root_of(text)
        if root is not None:
            read(root)
    except InvalidContentError as error:
        raise config_error(origin, error.mistakes) from error
    return root


def index_files(entries: Iterable[Path]) -> tuple[Path, ...]:
    """The index files that entries of ``index:`` or ``--index`` name, each once.

    A folder stands for its ``*.db`` files, by name.

    Raises:
        IndexFileError: a folder has none, or cannot be listed. (Whether a file exists is for its reader to find out.)
    """
    return tuple(dict.fromkeys(file for entry in entries for file in _files_of(entry)))


def _files_of(entry: Path) -> Iterator[Path]:
    try:
        if not entry.is_dir():
            yield entry
            return
        files = sorted(entry.iterdir())
    except OSError as error:
        raise IndexFileError(f"{entry}: {error.strerror}", "make the folder readable, or name another") from error
    # A name with a leading dot is an index that is still being written.
    found = [file for file in files if file.suffix == ".db" and not file.name.startswith(".")]
    if not found:
        raise IndexFileError(f"{entry}: no index (*.db) in this folder", _BUILD)
    yield from found
