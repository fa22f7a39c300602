"""A language server: what a check of a file finds, as diagnostics (Language Server Protocol 3.17).

A file is looked up when it is opened and when it is saved, as the editor has it. One at a time, on a thread, so that
the editor is answered meanwhile; what was looked up last is shown last. A file that could not be looked at has a
diagnostic that says so: an editor without one would look clean.
"""

from __future__ import annotations

import asyncio
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from winnow_ci import __version__
from winnow_ci.cli import messages
from winnow_ci.errors import WinnowError
from winnow_ci.operations.check import CheckOptions, check
from winnow_ci.operations.given_documents import GivenDocument, folder_of, name_of
from winnow_ci.report import printable, wording
from winnow_ci.report.shown import not_scanned, readable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.model import Level, LineRange, Progress
    from winnow_ci.model.findings import Finding
    from winnow_ci.operations.trust import RuleChoice

_SEVERITIES: dict[Level, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_NAME = "winnow-ci"


def made(choice: RuleChoice) -> LanguageServer:
    """A server that judges files by these rules."""
    server = LanguageServer(_NAME, __version__)
    worker = ThreadPoolExecutor(1)
    # The server's own table has them under other URIs, without escapes such as %20.
    uris = set[str]()

    async def look(uri: str) -> None:
        path, document = to_fs_path(uri), server.workspace.get_text_document(uri)
        if path is None or not uri.startswith("file:"):
            return
        version, text = document.version, document.source.encode("utf-8", "surrogatepass")
        found = await asyncio.get_running_loop().run_in_executor(
            worker, partial(diagnostics, Path(name_of(path)), text, choice)
        )
        if uri in uris:
            publish(uri, found, version)

    def publish(uri: str, found: list[types.Diagnostic], version: int | None = None) -> None:
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(parameters: types.DidOpenTextDocumentParams) -> None:
        uris.add(parameters.text_document.uri)
        await look(parameters.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(parameters: types.DidSaveTextDocumentParams) -> None:
        await look(parameters.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(parameters: types.DidCloseTextDocumentParams) -> None:
        uris.discard(parameters.text_document.uri)
        publish(parameters.text_document.uri, [])

    return server


def diagnostics(path: Path, text: bytes, choice: RuleChoice) -> list[types.Diagnostic]:
    """What a check of a file finds, or why there was none."""
    try:
        report = check(folder_of(path.parent), [GivenDocument(str(path), text)], CheckOptions(choice), _silently)
    except WinnowError as error:
        return [_not_looked_at("; ".join(error.lines))]
    except Exception as error:
        messages.say(traceback.format_exc(), at_once=True)
        return [_not_looked_at(f"this is a bug in winnow-ci: {type(error).__name__} (its log says more)")]
    return [*map(_diagnostic, readable(report)), *(_not_looked_at(skip.reason) for skip in not_scanned(report))]


def _diagnostic(finding: Finding) -> types.Diagnostic:
    told = [f"{wording.copied(finding)}: {wording.likeness(finding)}", wording.also_in(finding)]
    if line := wording.permission_line(finding):
        told.append(f"to allow it, {line}")
    message = "\n".join(filter(None, told))
    return types.Diagnostic(_range(finding.lines), message, _SEVERITIES[finding.level], source=_NAME, code=finding.id)


def _not_looked_at(reason: str) -> types.Diagnostic:
    start = types.Range(types.Position(0, 0), types.Position(1, 0))
    return types.Diagnostic(
        start, f"not looked at: {printable.name(reason)}", types.DiagnosticSeverity.Warning, source=_NAME
    )


def _range(lines: LineRange) -> types.Range:
    return types.Range(types.Position(lines.first - 1, 0), types.Position(lines.last, 0))


@contextmanager
def _silently(_task: str, _unit: str) -> Iterator[Progress]:
    yield lambda done, total: None  # noqa: ARG005
