"""What goes wrong, as exceptions. Each has the status that the command line would end with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong, and where. `file` is a file, or the word of the request; line and column count from 1,
    None where unknown; `key` is None where no key is to blame."""

    file: str
    line: int | None
    column: int | None
    key: str | None
    reason: str


class Error(Exception):
    """Of which all others are."""

    status = 70

    def __init__(self, text: str, mistakes: Iterable[tuple[str, int, int, str, str]] = ()) -> None:
        super().__init__(text)
        self.mistakes = tuple(
            Mistake(file, line or None, column or None, key or None, reason) for file, line, column, key, reason in mistakes
        )

    def __reduce__(self):
        raw = [(m.file, m.line or 0, m.column or 0, m.key or "", m.reason) for m in self.mistakes]
        return type(self), (str(self), raw)


class UsageError(Error, ValueError):
    """A mistake in workload, machine or request; `mistakes` has every one."""

    status = 2


class NotCovered(Error):
    """A legal wish that the machine or the model cannot meet."""

    status = 3


class IoError(Error, OSError):
    """A file that cannot be read."""

    status = 5

    def __str__(self) -> str:
        return str(self.args[0])


class InternalError(Error):
    """A defect of tcsim."""

    status = 70
