"""The staging model of a data set as SQL, without dbt: what `make add` shows and landing checks is what dbt will build.

The project's macros are rendered by plain Jinja with the few things of dbt that they use.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from scripts.landing.declared import PROJECT, LandingError

MACROS = PROJECT / "macros"
_PARTS = ("votes_from_*.sql", "true_labels_from.sql", "judged_votes.sql", "vote_cells.sql")


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Adapter:
    """What the macros ask of dbt's adapter, for DuckDB."""

    def __init__(self, macros: dict[str, Callable[..., Any]]) -> None:
        self._macros = macros

    def quote(self, name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    def dispatch(self, name: str, _: str = "") -> Callable[..., Any]:
        return self._macros.get(f"duckdb__{name}") or self._macros[f"default__{name}"]


def _return(value: Any) -> None:
    raise _Return(value)


def _called(macro: Callable[..., Any]) -> Callable[..., Any]:
    """A macro as dbt calls it: what it passes to return() is its value."""

    def call(*values: Any, **named: Any) -> Any:
        try:
            return macro(*values, **named)
        except _Return as returned:
            return returned.value

    return call


@cache
def _environment(macros: Path) -> jinja2.Environment:
    environment = jinja2.Environment(extensions=["jinja2.ext.do"], undefined=jinja2.StrictUndefined, autoescape=False)
    named: dict[str, Callable[..., Any]] = {}
    # Under another name, so that macros of one file find each other as dbt's do: through the globals.
    texts = [
        re.sub(r"{%(-?) macro (\w+)\(", r"{%\1 macro dissent__\2(", path.read_text(encoding="utf-8"))
        for part in _PARTS
        for path in sorted(macros.glob(part))
    ]
    modules: dict[str, Any] = {}
    for text in texts:
        for name in re.findall(r"macro dissent__(\w+)\(", text):
            # A module copies the globals when it is made: they must all be there before the first is.
            named[name] = _called(lambda *values, _name=name, **given: modules[_name](*values, **given))
    environment.globals |= {"adapter": _Adapter(named), "return": _return} | named
    for text in texts:
        module = environment.from_string(text).make_module()
        for name in re.findall(r"macro dissent__(\w+)\(", text):
            modules[name] = getattr(module, f"dissent__{name}")
    return environment


def render(model: str, where: str, relation: str, macros: Path = MACROS) -> tuple[str, dict[str, Any]]:
    """SQL of a staging model on `relation` instead of its source, and what it passes to its votes_from_ macro.

    `model` is the model's text, `where` names it in messages.
    """
    environment = _environment(macros)
    calls: list[dict[str, Any]] = []

    def recorded(name: str) -> Callable[..., Any]:
        def call(*values: Any, **named: Any) -> Any:
            calls.append({"macro": name, **named})
            macro: Callable[..., Any] = environment.globals[name]  # type: ignore[assignment]
            return macro(*values, **named)

        return call

    names = [name for name in environment.globals if name.startswith(("votes_from_", "true_labels_from"))]
    try:
        sql = environment.from_string(model).render(
            {name: recorded(name) for name in names},
            source=lambda *_: relation,
            config=lambda **_: "",
            project_name="dissent",
        )
    except (jinja2.TemplateError, TypeError, KeyError) as error:
        raise LandingError(
            f"{where} can't be read ({str(error).splitlines()[0]}): correct it; macros/_macros.yml tells each argument"
        ) from error
    return sql, calls[0] if calls else {}
