"""Keep an index in a registry of container images, as an artifact (Open Container Initiative, distribution 1.1).

An artifact is a *manifest*, which names the file of the index by its sha256, and that file. The manifest is named by
its own sha256. Both stay in the user's cache under these names, so what is there needs no registry, and a mirror needs
no trust. ``oras`` asks registries, with the credentials that ``docker login`` keeps.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from winnow_ci.errors import FetchError, UsageError
from winnow_ci.fetching.cache import LARGEST_FETCHED, cached_file
from winnow_ci.fetching.file_parts import noted
from winnow_ci.fetching.urls import harmless
from winnow_ci.model import Progress
from winnow_ci.named_tuples import NamedTuple

INDEX_TYPE = "application/vnd.winnow-ci.index"
_MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
_LARGEST_MANIFEST = 1 << 20
_SILENCE = 30.0  # seconds
_PLACE = re.compile(
    r"(?P<repository>[A-Za-z0-9.-]*[.:][A-Za-z0-9.:-]*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?:@sha256:(?P<digest>[0-9a-f]{64}))?",
    re.ASCII,
)
_ASK = "check the name, and that `docker login` works for this registry"


class StoredIndex(NamedTuple):
    """An index in a registry, by its names there."""

    repository: str  # HOST/NAME
    tag: str  # empty if it is not named
    digest: str  # sha256 of its manifest; empty if it is not named


def parse_artifact(text: str) -> StoredIndex:
    """Read ``HOST/NAME[:TAG][@sha256:DIGEST]``; another text is a ``UsageError``."""
    found = _PLACE.fullmatch(text)
    if found is None:
        remedy = "write HOST/NAME:TAG or HOST/NAME@sha256:DIGEST"
        raise UsageError(f"{text!r:.200} is not the name of an artifact in a registry", remedy)
    return StoredIndex(found["repository"], found["tag"] or "", found["digest"] or "")


def push_artifact(file: Path, to: StoredIndex) -> str:
    """Put the file of an index into a registry, and return the name that pins it.

    A registry that refuses it, or cannot be asked, is a ``FetchError``.
    """
    client = _client(to)
    from oras import oci, provider  # noqa: PLC0415 - an extra has it

    layer = oci.NewLayer(str(file), media_type=INDEX_TYPE)
    layer["annotations"] = {"org.opencontainers.image.title": file.name}
    config, _ = oci.ManifestConfig(media_type=INDEX_TYPE)
    manifest = {**oci.NewManifest(), "config": config, "layers": [layer]}
    container = client.get_container(":".join(filter(None, to[:2])))
    with provider.temporary_empty_config() as empty:
        for path, blob in ((empty, config), (str(file), layer)):
            _sent(to, partial(client.upload_blob, path, container, blob))
    answer = _sent(to, partial(client.upload_manifest, manifest, container))
    return f"{to.repository}@sha256:{hashlib.sha256(answer.request.body).hexdigest()}"


def _sent(to: StoredIndex, send: Callable[[], Any]) -> Any:
    with _named(to, (OSError, ValueError)):
        answer = send()
    if not answer.ok:
        raise FetchError(f"{to.repository}: the registry answers {answer.status_code}", _ASK)
    return answer


@contextmanager
def _named(at: StoredIndex, errors: tuple[type[Exception], ...] = (ValueError,)) -> Iterator[None]:
    """Raise what oras complains of as ``FetchError``."""
    try:
        yield
    except errors as error:
        raise FetchError(f"{at.repository}: {harmless(str(error))}", _ASK) from error


def pulled_artifact(wanted: StoredIndex, mirrors: Sequence[StoredIndex], progress: Progress | None = None) -> Path:
    """Return the file of an index in the cache, from there or from the first repository that has it.

    It is a ``FetchError`` if no repository has it, or it is not an index.
    """
    problems: list[str] = []
    for at in (wanted, *mirrors):
        with noted(problems):
            manifest = _fetched(at, "manifests", wanted.digest, _LARGEST_MANIFEST)
            sha256, size = _described(manifest.read_bytes(), wanted)
            return _fetched(at, "blobs", sha256, size, progress)
    raise FetchError("; ".join(problems), _ASK)


def _described(manifest: bytes, wanted: StoredIndex) -> tuple[str, int]:
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        (layer,) = json.loads(manifest)["layers"]
        kind, digest, size = layer["mediaType"], layer["digest"], layer["size"]
        is_sized = type(size) is int and 0 < size <= LARGEST_FETCHED
        if kind == INDEX_TYPE and is_sized and (named := re.fullmatch("sha256:([0-9a-f]{64})", digest)):
            return named[1], size
    raise FetchError(f"{wanted.repository}@sha256:{wanted.digest}: not an index", "name one that index push has stored")


def _fetched(at: StoredIndex, kind: str, sha256: str, most: int, progress: Progress | None = None) -> Path:
    if kept := cached_file(sha256):
        return kept
    client = _client(at)
    from winnow_ci.fetching.download import DownloadLimits, asked_by  # noqa: PLC0415 - the cache may have it

    host, _, name = at.repository.partition("/")
    url = f"https://{host}/v2/{name}/{kind}/sha256:{sha256}"
    headers = {"Accept": _MANIFEST_TYPE if kind == "manifests" else "*/*", "Accept-Encoding": "identity"}
    with _named(at):
        ask = partial(client.do_request, url, headers=headers, stream=True)
        return asked_by(ask, url, sha256, progress, DownloadLimits(file=most, tries=2))


@lru_cache(maxsize=1)
def _client(at: StoredIndex) -> Any:
    """Return what asks a registry, with our credentials for it."""
    if find_spec("oras") is None:
        problem = f"{at.repository}: a registry needs oras, which is not installed"
        raise FetchError(problem, "install it with the extra: pip install winnow-ci[oci]")
    import requests  # noqa: PLC0415 - 0.1 s
    from oras.client import OrasClient  # noqa: PLC0415 - an extra has it

    url = f"https://{at.repository.partition('/')[0]}/v2/"
    with _named(at, (OSError,)), requests.get(url, timeout=_SILENCE, stream=True) as asked:
        is_basic = asked.headers.get("WWW-Authenticate", "").lower().startswith("basic")
    client = OrasClient(auth_backend="basic" if is_basic else "token")
    client.session.request = partial(client.session.request, timeout=_SILENCE)
    client.auth.load_configs(client.get_container(at.repository))
    if is_basic and not getattr(client.auth, "_basic_auth", None):
        raise FetchError(f"{at.repository}: the registry wants a password", _ASK)
    # Its own retries take two minutes, whatever is wrong.
    client.do_request = partial(OrasClient.do_request.__wrapped__, client)
    return client
