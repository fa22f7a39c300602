"""A language server for editors.

Speak the Language Server Protocol on standard input and output: when a file is opened or saved, its findings appear as
diagnostics. Your editor starts it. It finds the configuration as `winnow-ci check` does, from the file's folder
upwards.

A file is looked up when it is opened or saved, with the editor's text. A thread looks up one file at a time, so the
editor gets answers meanwhile, and the last look-up is shown last. A file that could not be read gets a diagnostic
about it: without one, it would look clean.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import __version__, operations
from winnow_ci.cli import choices, messages
from winnow_ci.errors import UsageError, WinnowError
from winnow_ci.report import wording
from winnow_ci.report.printable import name
from winnow_ci.report.shown import not_scanned, readable

if TYPE_CHECKING:
    import argparse

    from lsprotocol import types
    from pygls.lsp.server import LanguageServer

    from winnow_ci.model.findings import Finding

_NAME = "winnow-ci"


def add_to(parser: argparse.ArgumentParser) -> None:
    choices.add_rules(parser)


def run(arguments: argparse.Namespace) -> None:
    if find_spec("pygls") is None:
        raise UsageError("a language server needs a package that is not installed", "pip install 'winnow-ci[lsp]'")
    language_server(choices.rule_choice(arguments)).start_io()


def language_server(choice: operations.trust.RuleChoice) -> LanguageServer:
    """Make a server that judges files by these rules."""
    from lsprotocol import types
    from pygls.lsp.server import LanguageServer
    from pygls.uris import to_fs_path

    server = LanguageServer(_NAME, __version__)
    worker = ThreadPoolExecutor(1)
    # The server's own table uses other URIs, without escapes such as %20.
    uris = set[str]()

    async def look(uri: str) -> None:
        path, document = to_fs_path(uri), server.workspace.get_text_document(uri)
        if path is None or not uri.startswith("file:"):
            return
        version, text = document.version, document.source.encode("utf-8", "surrogatepass")
        found = await asyncio.get_running_loop().run_in_executor(
            worker, partial(_diagnostics, Path(operations.check.name_of(path)), text, choice)
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


def _diagnostics(path: Path, text: bytes, choice: operations.trust.RuleChoice) -> list[types.Diagnostic]:
    """The findings in a file, or the reason why it was not checked."""
    options, given = operations.check.CheckOptions(choice), [operations.check.GivenDocument(str(path), text)]
    try:
        folder = operations.check.folder_of(path.parent)
        report = operations.check.scan_documents(folder, given, options, operations.library.quiet).report
    except WinnowError as error:
        return [_not_looked_at("; ".join(error.lines))]
    except Exception as error:
        import traceback

        messages.say(traceback.format_exc(), at_once=True)
        return [_not_looked_at(f"this is a bug in winnow-ci: {type(error).__name__} (see its log)")]
    return [*map(_diagnostic, readable(report)), *(_not_looked_at(skip.reason) for skip in not_scanned(report))]


def _diagnostic(finding: Finding) -> types.Diagnostic:
    from lsprotocol import types

    severity = {
        "error": types.DiagnosticSeverity.Error,
        "warning": types.DiagnosticSeverity.Warning,
        "note": types.DiagnosticSeverity.Information,
    }[finding.level]
    lines = [f"{wording.copied(finding)}: {wording.likeness(finding)}", wording.also_in(finding)]
    if permission := wording.permission_line(finding):
        lines.append(f"to allow it, {permission}")
    where = types.Range(types.Position(finding.lines.first - 1, 0), types.Position(finding.lines.last, 0))
    return types.Diagnostic(where, "\n".join(filter(None, lines)), severity, source=_NAME, code=finding.id)


def _not_looked_at(reason: str) -> types.Diagnostic:
    from lsprotocol import types

    start = types.Range(types.Position(0, 0), types.Position(1, 0))
    return types.Diagnostic(start, f"not looked at: {name(reason)}", types.DiagnosticSeverity.Warning, source=_NAME)
