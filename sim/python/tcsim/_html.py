"""Pieces of HTML for notebooks; every text is escaped."""

from __future__ import annotations

from html import escape
from typing import Iterable, Sequence


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{escape(shown(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shown(value: object) -> str:
    if value is None:
        return ""
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def bars(parts: Iterable[tuple[str, float]]) -> str:
    """A bar per part; values are percents."""
    rows = "".join(
        f"<tr><td>{escape(label)}</td><td style='text-align:right'>{percent:.1f} %</td>"
        f"<td style='width:16em'><div style='height:.8em;background:#4c78a8;width:{min(percent, 100):.1f}%'></div></td></tr>"
        for label, percent in parts
    )
    return f"<table>{rows}</table>"


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def machine(name: str, overrides: Sequence[str]) -> str:
    """The machine and what was changed of it, for headings."""
    return f"{name} with {', '.join(overrides)}" if overrides else name


def heading(text: str) -> str:
    return f"<b>{escape(text)}</b>"
