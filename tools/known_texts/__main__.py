"""Make ``known_texts.npy`` of ``winnow_ci.languages.words``: the words of texts that are made to be copied.

    npm pack spdx-license-list@6.10.0 && tar xzf spdx-license-list-6.10.0.tgz
    git clone https://github.com/EthicalSource/contributor_covenant && git -C contributor_covenant checkout c104cdff077e
    python tools/known_texts package/licenses contributor_covenant

The arguments are the licences of SPDX's list and the repository of the Contributor Covenant, of which every English
text in its history is read, since people have copied all of them. So are `texts` here and the notices of
`builtin:license-headers`. The table holds hashes of runs of words, from which no text can be read. Another table needs
another `REVISION` in `languages/words.py`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from packing import packed_hashes

from winnow_ci import languages, scanner
from winnow_ci.languages.words import KNOWN_TEXTS, hashes_of_runs, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
NOTICES = Path(scanner.__file__).parent / "boilerplate_texts" / "license-headers"
# Front matter of the site, and what its templates put in.
_FRONT_MATTER = re.compile(rb"\A(?:\+\+\+|---)\n.*?\n(?:\+\+\+|---)\n", re.DOTALL)
_VERSION = re.compile(r"version/\d[\d/]*/code[-_]of[-_]conduct\.(?:md|txt)$")


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    licences, covenant = map(Path, sys.argv[1:])
    texts = [*_files(HERE / "texts"), *_files(NOTICES), *_licences(licences), *_versions(covenant)]
    hashes = [hashes_of_runs(words_of(languages.normalise(text)).verbatim) for text in texts]
    np.save(KNOWN_TEXTS, packed_hashes(np.concatenate(hashes)))
    print(f"{len(texts)} texts, {len(np.unique(np.concatenate(hashes))):,} runs, {KNOWN_TEXTS.stat().st_size:,} bytes")


def _files(folder: Path) -> Iterator[bytes]:
    yield from (file.read_bytes() for file in sorted(folder.iterdir()))


def _licences(folder: Path) -> Iterator[bytes]:
    for file in sorted(folder.glob("*.json")):
        yield json.loads(file.read_text())["licenseText"].encode()


def _versions(repository: Path) -> Iterator[bytes]:
    """Each text that a file of an English version has ever had."""
    listed = _git(repository, "rev-list", "--objects", "HEAD").decode()
    blobs = {one.partition(" ")[0] for one in listed.splitlines() if _VERSION.search(one)}
    yield from (_FRONT_MATTER.sub(b"", _git(repository, "cat-file", "blob", blob)) for blob in sorted(blobs))


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", repository, *arguments], capture_output=True, check=True).stdout


if __name__ == "__main__":
    main()
