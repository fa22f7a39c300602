"""The settings in ``.winnow.yml``: their defaults, and how to read and extend the file.

Without a file, PyYAML is never imported.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from winnow_ci.config import NEW_BASELINE
from winnow_ci.config.team_files import checked_edit, mistakes_reported, read_untrusted, refuse_large
from winnow_ci.errors import IndexFileError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy.patterns import PathPatterns, SourcePatterns
from winnow_ci.start_up import field, record, replace

if TYPE_CHECKING:
    import yaml

    from winnow_ci.config.index_reference import IndexReference, PinnedFile
    from winnow_ci.config.yaml_readers import Reader
    from winnow_ci.model import Level, Selection
    from winnow_ci.policy.allow_comments import CommentTrust
    from winnow_ci.policy.license_policy import LicensePolicy

MOST_BYTES_OF_SETTINGS = 64 * 1024

_BUILTIN = "builtin:"
_BUILD = "build one with winnow-ci index build DIR --output FILE --name NAME"
_HEAD = "# What winnow-ci scans in this repository, and how it judges copies.\n"


class ReportThresholds(NamedTuple):
    """Which copies are reported: the shortest of each kind, in tokens, and which findings are weak."""

    min_tokens: int = 16
    min_tokens_renamed: int = 16
    weak: Level | Literal["off"] = "note"  # their highest level; "off" leaves them out
    cut: float | None = None  # log-odds of a copy from which a finding is strong; None for those of the evidence model


class AssistedRules(NamedTuple):
    """Stricter rules for copies in commits that a coding assistant helped to write."""

    policy: LicensePolicy | None = None
    weak: Level | None = None


class Snippet(NamedTuple):
    """Code that everybody has; the language by its canonical name."""

    language: str
    text: str


class SharedConfiguration(NamedTuple):
    """The text of a configuration that others extend, and what messages call it."""

    text: bytes
    origin: str


@record(frozen=True, slots=True)
class Settings:
    """The settings of a repository: the keys of the file (``settings_keys``), with their defaults."""

    index: tuple[IndexReference, ...] = ()
    # What the index must have been built with; None takes it from the index.
    k: int | None = None
    w: int | None = None
    selection: Selection | None = None
    languages: tuple[str, ...] | None = None
    include: PathPatterns | None = None
    exclude: PathPatterns = field(default_factory=PathPatterns)
    boilerplate: PathPatterns = field(default_factory=PathPatterns)
    policy: LicensePolicy | None = None  # None makes every finding an error
    report: ReportThresholds = field(default_factory=ReportThresholds)
    assisted: AssistedRules | None = None
    own: SourcePatterns = field(default_factory=SourcePatterns)
    baseline: Path | None = None
    # None also trusts the comments of the change, unless it is judged by the rules of its base.
    inline: CommentTrust | None = None
    snippets: tuple[Snippet, ...] = ()
    builtins: tuple[str, ...] = ()  # names of our own texts of code that everybody has
    extends: PinnedFile | None = None
    unchecked: Literal["allow", "block"] = "allow"

    def below(self, folder: str) -> Settings:
        """Return the same settings, with path patterns made relative to the root instead of a folder below."""
        include = self.include.below(folder) if self.include else None
        exclude, boilerplate = self.exclude.below(folder), self.boilerplate.below(folder)
        return replace(self, include=include, exclude=exclude, boilerplate=boilerplate) if folder else self

    @property
    def parameters(self) -> dict[str, int | str]:
        """Return which of k, w and selection are set, by the names of ``model.Parameters``."""
        return {name: value for name in ("k", "w", "selection") if (value := getattr(self, name)) is not None}


def load_settings(path: Path, shared: SharedConfiguration | None = None) -> Settings:
    """Read the settings in a file (``parse_settings``)."""
    remedy = "name a readable file with --config, or leave --config out"
    return parse_settings(read_untrusted(path, MOST_BYTES_OF_SETTINGS, remedy), path.as_posix(), path.parent, shared)


def parse_settings(text: bytes, origin: str, folder: Path, shared: SharedConfiguration | None = None) -> Settings:
    """Read settings from text, over those of the shared configuration that it extends, if that is given.

    The index files and the baseline that it names are relative to ``folder``.
    """
    # A scan without a configuration file saves these 20 ms.
    from winnow_ci.config.settings_keys import SETTINGS, SHARED_SETTINGS  # noqa: PLC0415
    from winnow_ci.config.yaml_readers import joined_nodes  # noqa: PLC0415

    root = _checked(text, origin, SETTINGS)
    if shared is not None:
        root = joined_nodes(_checked(shared.text, shared.origin, SHARED_SETTINGS), root)
    return _settings({} if root is None else SETTINGS(root, ""), folder)


def _settings(values: dict[str, Any], folder: Path) -> Settings:
    paths, inline, assistant = (values.pop(key, {}) for key in ("paths", "suppressions", "assistant"))
    entries = values.pop("boilerplate", ())
    names = [entry for entry in entries if isinstance(entry, str)]
    values["boilerplate"] = PathPatterns(tuple(name for name in names if not name.startswith(_BUILTIN)))
    values["builtins"] = tuple(name.removeprefix(_BUILTIN) for name in names if name.startswith(_BUILTIN))
    values["snippets"] = tuple(Snippet(**entry) for entry in entries if not isinstance(entry, str))
    values["report"] = ReportThresholds(**values.get("report", {}))
    values["assisted"] = AssistedRules(**values["assisted"]) if "assisted" in values else None
    values["baseline"] = folder / values["baseline"] if "baseline" in values else None
    values["index"] = tuple(folder / one if isinstance(one, Path) else one for one in values.get("index", ()))
    return Settings(**values, **paths, **inline, **assistant)


def _checked(text: bytes, origin: str, reader: Reader[object]) -> yaml.Node | None:
    """The root node of a text without mistakes; None if the text is empty."""
    from winnow_ci.config.yaml_readers import root_of  # noqa: PLC0415 - as above

    refuse_large(text, origin, MOST_BYTES_OF_SETTINGS, "shorten its lists with wildcards")
    with mistakes_reported(origin):
        root = root_of(text)
        if root is not None:
            reader(root, "")
    return root


def with_baseline_named(written: bytes, path: Path) -> bytes:
    """Add ``baseline:`` to the text of a configuration without one, or raise ``ConfigError`` if it has another form."""
    line = f"baseline: {NEW_BASELINE}"
    parse = partial(parse_settings, origin=path.as_posix(), folder=path.parent)
    before = parse(written)
    ending = b"\r\n" if b"\r\n" in written else b"\n"
    text = written or _HEAD.encode()
    after = text + (b"" if text.endswith(b"\n") else ending) + line.encode() + ending
    wanted = replace(before, baseline=path.parent / NEW_BASELINE)
    return checked_edit(after, path, parse, wanted, f"add this yourself: {line}")


def index_files(entry: Path) -> list[Path]:
    """List the index files that an entry of ``index:`` names; a folder means its ``*.db`` files, by name.

    Raises ``IndexFileError`` if a folder has none, or cannot be listed; a file need not exist.
    """
    try:
        files = sorted(entry.iterdir()) if entry.is_dir() else None
    except OSError as error:
        raise IndexFileError(f"{entry}: {error.strerror}", "make the folder readable, or name another") from error
    if files is None:
        return [entry]
    # A name with a leading dot is an index that is still being written.
    found = [file for file in files if file.suffix == ".db" and not file.name.startswith(".")]
    if not found:
        raise IndexFileError(f"{entry}: no index (*.db) in this folder", _BUILD)
    return found
