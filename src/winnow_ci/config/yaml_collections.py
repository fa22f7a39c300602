"""Lists and mappings in our YAML files: readers that report the mistakes of all their parts, and say what is meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

import yaml

from winnow_ci.config.mistakes import Mistakes
from winnow_ci.config.yaml_nodes import InvalidYamlError
from winnow_ci.config.yaml_values import Reader, Schema, kind, takes, text
from winnow_ci.errors import did_you_mean
from winnow_ci.named_tuples import NamedTuple

T = TypeVar("T")

INVALID = object()
"""What stands for a value with a mistake where values are checked together."""

Check: TypeAlias = Callable[[Mapping[str, Any], yaml.Node, str], None]
"""Checks the values of a mapping together, by their keys, and is given its node and its own key. A value may be
``INVALID``. That of an unknown key is: what seems to be missing may be what somebody has misspelled."""


class Rule(NamedTuple):
    """What the values of a mapping must be together, as a check and in JSON Schema."""

    check: Check
    schema: Schema


def requiring(problem: str, remedy: str, *names: str) -> Rule:
    """The rule that a mapping has all of these keys; without one, it is the problem that this lacks."""

    def check(values: Mapping[str, Any], node: yaml.Node, key: str) -> None:
        missing = " and its ".join(name for name in names if name not in values)
        if missing and len(values) < len(names):
            raise InvalidYamlError(node, f"{key}: {problem} needs its {missing}", remedy)

    return Rule(check, {"required": names})


_ANYTHING = Rule(lambda _values, _node, _key: None, {})


def each(item: Reader[T]) -> Reader[tuple[T, ...]]:
    """A reader of a list."""

    @takes({"type": "array", "items": item.schema})
    def read(node: yaml.Node, key: str) -> tuple[T, ...]:
        if not isinstance(node, yaml.SequenceNode):
            raise InvalidYamlError(node, f"{key} must be a list, not {kind(node)}", f"write {key}: [...]")
        values, mistakes = [], Mistakes()
        for element in node.value:
            with mistakes.collected():
                values.append(item(element, key))
        mistakes.refuse()
        return tuple(values)

    return read


def filled(values: Reader[tuple[T, ...]]) -> Reader[tuple[T, ...]]:
    """A reader of a list that is not empty."""

    @takes({**values.schema, "minItems": 1})
    def read(node: yaml.Node, key: str) -> tuple[T, ...]:
        found = values(node, key)
        if not found:
            raise InvalidYamlError(node, f"{key} is empty: nothing would be looked at", f"leave {key} out for all")
        return found

    return read


def mapping(build: Callable[..., T], fields: Mapping[str, Reader[Any]], rule: Rule = _ANYTHING) -> Reader[T]:
    """A reader of a mapping with these keys, all optional, whose values ``build`` gets if they keep the rule."""

    @takes(_object(fields, rule))
    def read(node: yaml.Node, key: str) -> T:
        if not isinstance(node, yaml.MappingNode):
            problem = f"{key or 'the file'} must be a mapping, not {kind(node)}"
            raise InvalidYamlError(node, problem, f"its keys are {', '.join(fields)}")
        values: dict[str, object] = {}
        mistakes = Mistakes()
        for name_node, value_node in node.value:
            with mistakes.collected():
                name = text(name_node, f"a key of {key or 'the file'}")
                values[name] = INVALID
                if name not in fields:
                    raise InvalidYamlError(name_node, f"unknown key {name!r:.60}", nearest(name, fields))
                values[name] = fields[name](value_node, f"{key}.{name}" if key else name)
        with mistakes.collected():
            _refuse_repetition(fields, node)
        with mistakes.collected():
            rule.check(values, node, key)
        mistakes.refuse()
        return build(**values)

    return read


def _object(fields: Mapping[str, Reader[Any]], rule: Rule) -> Schema:
    properties = {name: reader.schema for name, reader in fields.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False, **rule.schema}


def _refuse_repetition(fields: Mapping[str, Reader[Any]], node: yaml.MappingNode) -> None:
    mistakes = Mistakes()
    seen: set[str] = set()
    for name_node, _ in node.value:
        if isinstance(name_node, yaml.ScalarNode) and name_node.value in fields:
            with mistakes.collected():
                if name_node.value in seen:
                    raise InvalidYamlError(name_node, f"a second {name_node.value}", "keep one of the two")
            seen.add(name_node.value)
    mistakes.refuse()


def nearest(name: str, known: Mapping[str, Reader[Any]]) -> str:
    """What to do about an unknown key."""
    return did_you_mean(name, known, f"the keys there are {', '.join(known)}")
