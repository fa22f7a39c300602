"""Event payloads, written after the documented fields of GitHub's webhooks; their ids stand for others."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "ci" / "payloads"
NONE = "0" * 40
PULL_HEAD = "a" * 40
FROZEN_BASE = "b" * 40
BEFORE = "c" * 40
AFTER = "d" * 40
QUEUE_BASE = "e" * 40
QUEUE_HEAD = "f" * 40


def payload(name: str, ids: dict[str, str] | None = None) -> str:
    """The text of a payload, ids replaced."""
    text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    for placeholder, object_id in (ids or {}).items():
        text = text.replace(placeholder, object_id)
    return text
