"""The locks in requirements/ have what pyproject.toml asks for, and nothing that is not pinned."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.distributions import HOOKS, LOCKS, PROJECT, TOOLS, locked

if TYPE_CHECKING:
    from pathlib import Path

PYTHONS = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
ENVIRONMENTS = [
    {
        "python_version": python,
        "python_full_version": f"{python}.{patch}",
        "sys_platform": platform,
        "platform_machine": machine,
        "implementation_name": "cpython",
        "extra": "",
    }
    for python, patch, (platform, machine) in product(
        PYTHONS, (0, 20), [("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")]
    )
]


def asked_for(lock: Path) -> list[Requirement]:
    """What the distribution asks for, with the extra that the lock is named after."""
    extra = PROJECT["optional-dependencies"].get(lock.stem, [])
    return [Requirement(text) for text in [*PROJECT["dependencies"], *extra]]


def pins(lock: Path, environment: dict[str, str]) -> dict[str, str]:
    """Name to version of what a lock installs there; a name that it has twice makes this fail."""
    chosen = [pin for pin, _ in locked(lock) if pin.marker is None or pin.marker.evaluate(environment)]
    found = {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in chosen}
    assert len(found) == len(chosen), environment
    return found


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_satisfies_the_project(lock: Path) -> None:
    for environment in ENVIRONMENTS:
        found = pins(lock, environment)
        for requirement in asked_for(lock):
            if requirement.marker is None or requirement.marker.evaluate(environment):
                version = found.get(canonicalize_name(requirement.name), "0")
                assert requirement.specifier.contains(version), f"{lock.name} is old: make lock ({requirement})"


def test_locks_of_extras_add_to_that_of_the_package() -> None:
    own, *others = sorted(LOCKS, key=lambda lock: lock.stem != "winnow-ci")
    assert own.stem == "winnow-ci"
    for lock, environment in product(others, ENVIRONMENTS):
        assert pins(own, environment).items() < pins(lock, environment).items(), lock.name


def test_hooks_have_the_same_pins_without_hashes() -> None:
    (own,) = [lock for lock in LOCKS if lock.stem == "winnow-ci"]
    assert [pin for pin, _ in locked(HOOKS)] == [pin for pin, _ in locked(own)]
    assert not any(hashes for _, hashes in locked(HOOKS))
    for hook in yaml.safe_load((HOOKS.parents[1] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")):
        assert "--no-deps" in hook["additional_dependencies"]
        assert f"--requirement=requirements/{HOOKS.name}" in hook["additional_dependencies"]


@pytest.mark.parametrize("lock", [*LOCKS, TOOLS], ids=lambda lock: lock.stem)
def test_everything_is_pinned_with_hashes_and_from_nowhere(lock: Path) -> None:
    for pin, hashes in locked(lock):
        assert re.fullmatch(r"==[\w.]+", str(pin.specifier)), pin
        assert pin.url is None
        assert hashes, pin
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in hashes)
    text = lock.read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^\s*-(?!-hash=)", text, re.MULTILINE)


def test_every_supported_python_is_looked_at() -> None:
    assert PYTHONS[0] == PROJECT["requires-python"].removeprefix(">=")
    assert [int(python.partition(".")[2]) for python in PYTHONS] == list(range(10, 10 + len(PYTHONS)))
