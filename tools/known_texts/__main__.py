"""Make ``known_texts.npy`` of ``winnow_ci.languages.known_texts``: the words of texts that are made to be copied.

    npm pack spdx-license-list@6.10.0 && tar xzf spdx-license-list-6.10.0.tgz
    git clone https://github.com/EthicalSource/contributor_covenant && git -C contributor_covenant checkout c104cdff077e
    python tools/known_texts package/licenses contributor_covenant/content/version

Each argument is a folder. Read are its JSON files, the licences of SPDX's list, and its English Markdown, the versions
of the Contributor Covenant; besides, `texts` here and the notices of `builtin:license-headers`. The table holds hashes
of runs of words, from which no text can be read.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import languages, scanner
from winnow_ci.languages import prose_tokenizer
from winnow_ci.languages.known_texts import TABLE, packed, run_hashes

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
NOTICES = Path(scanner.__file__).parent / "boilerplate_texts" / "license-headers"
# Front matter of the site, and what its templates put in.
_FRONT_MATTER = re.compile(r"\A(?:\+\+\+|---)\n.*?\n(?:\+\+\+|---)\n", re.DOTALL)


def main() -> None:
    folders = [Path(argument) for argument in sys.argv[1:]]
    if not folders:
        sys.exit(__doc__)
    texts = [text for folder in (HERE / "texts", NOTICES, *folders) for text in _texts(folder)]
    hashes = [run_hashes(prose_tokenizer.words(languages.normalise(text.encode())).verbatim) for text in texts]
    np.save(TABLE, packed(np.concatenate(hashes)))
    print(f"{len(texts)} texts, {len(np.unique(np.concatenate(hashes))):,} runs, {TABLE.stat().st_size:,} bytes")


def _texts(folder: Path) -> Iterator[str]:
    for file in sorted(folder.rglob("*")):
        if file.suffix == ".json":
            yield json.loads(file.read_text())["licenseText"]
        elif file.suffix in {".text", ".txt"} or re.fullmatch(r"code[-_]of[-_]conduct\.md", file.name):
            yield _FRONT_MATTER.sub("", file.read_text())


if __name__ == "__main__":
    main()
