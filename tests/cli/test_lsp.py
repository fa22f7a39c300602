"""``winnow-ci lsp``, asked over standard input and output by a client of its own library, as an editor asks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from support.command import LONGEST, command, environment
from support.donor import INNOCENT, SHORTEST_ROUTE

pytest.importorskip("pygls")
from lsprotocol import types
from pygls.lsp.client import LanguageClient

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

COPY = SHORTEST_ROUTE.text


class Editor:
    """An editor with a language server."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self._client = client
        self._folder = folder
        self._shown: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def shown(params: types.PublishDiagnosticsParams) -> None:
            self._shown.put_nowait(params)

    def uri(self, name: str) -> str:
        return (self._folder / name).as_uri()

    def open(self, name: str, text: str) -> None:
        item = types.TextDocumentItem(self.uri(name), "python", 1, text)
        self._client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def save(self, name: str, text: str) -> None:
        """Replace the whole buffer, and save it."""
        document = types.VersionedTextDocumentIdentifier(2, self.uri(name))
        change = types.TextDocumentContentChangeWholeDocument(text)
        self._client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        self._client.text_document_did_save(types.DidSaveTextDocumentParams(document))

    def close(self, name: str) -> None:
        document = types.TextDocumentIdentifier(self.uri(name))
        self._client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    async def shown(self, name: str) -> list[types.Diagnostic]:
        """What is shown next, which must be about this file."""
        params = await asyncio.wait_for(self._shown.get(), LONGEST)
        assert params.uri == self.uri(name)
        return list(params.diagnostics)


def with_editor(folder: Path, use: Callable[[Editor], Awaitable[Any]]) -> None:
    """Start a server, have it used, and end it as an editor does."""

    async def session() -> None:
        client = LanguageClient("tests", "1")
        editor = Editor(client, folder)
        program, *arguments = command("lsp")
        await client.start_io(program, *arguments, cwd=folder.parent, env=environment())
        await client.initialize_async(types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri()))
        client.initialized(types.InitializedParams())
        await use(editor)
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()

    asyncio.run(asyncio.wait_for(session(), 2 * LONGEST))


@pytest.fixture
def project(tmp_path: Path, known: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / ".winnow.yml").write_text(f"index: [{known}]\n")
    return folder


def test_what_is_opened_and_saved_is_looked_at(project: Path) -> None:
    async def use(editor: Editor) -> None:
        editor.open("src/plan.py", f"# mine\n{COPY}")
        (found,) = await editor.shown("src/plan.py")
        assert found.severity == types.DiagnosticSeverity.Error
        assert (found.range.start, found.range.end) == (types.Position(1, 0), types.Position(1 + COPY.count("\n"), 0))
        assert found.message.startswith("copied from roads 2.1 (GPL-3.0-only), roads/routes.py:")
        assert "# winnow-ci: allow roads <reason>" in found.message
        editor.save("src/plan.py", INNOCENT)
        assert await editor.shown("src/plan.py") == []
        editor.save("src/plan.py", COPY)
        assert len(await editor.shown("src/plan.py")) == 1
        editor.close("src/plan.py")
        assert await editor.shown("src/plan.py") == []

    with_editor(project, use)


def test_what_could_not_be_looked_at_is_not_clean(project: Path) -> None:
    async def use(editor: Editor) -> None:
        editor.open("a.py", COPY.replace(" ", "\0 "))
        assert [one.message for one in await editor.shown("a.py")] == ["not looked at: binary content"]
        (project / ".winnow.yml").write_text("indx: []\n")
        editor.open("b.py", COPY)
        (told,) = await editor.shown("b.py")
        assert told.message.startswith("not looked at: ")
        assert "indx" in told.message
        assert told.severity == types.DiagnosticSeverity.Warning

    with_editor(project, use)


@pytest.mark.parametrize("name", ["two words.py", "größe.py", "100%.py", "a#b?.py"])
def test_a_name_that_a_uri_escapes(project: Path, name: str) -> None:
    async def use(editor: Editor) -> None:
        editor.open(name, COPY)
        assert len(await editor.shown(name)) == 1
        editor.save(name, INNOCENT)
        assert await editor.shown(name) == []

    with_editor(project, use)


@pytest.mark.parametrize("name", ["x\ud800.py", "\udfff/x.py"])
def test_half_a_character_in_a_uri_or_a_text(project: Path, name: str) -> None:
    async def use(editor: Editor) -> None:
        # ``Path.as_uri`` would not make it.
        editor.uri = lambda name: f"file://{project}/{name}"  # type: ignore[method-assign]
        editor.open(name, f"{COPY}# {name}\n")
        assert len(await editor.shown(name)) == 1

    with_editor(project, use)
