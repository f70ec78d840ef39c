"""One point of a sweep in a process of its own: fields as JSON on standard input, the answer as JSON on standard output.
What crashes so costs one point."""

from __future__ import annotations

import json
import signal
import sys

from . import _errors
from ._run import simulate


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    request = json.load(sys.stdin)
    try:
        raw = simulate(request, None)
        raw["tensors"] = []
        answer = {"raw": raw}
    except _errors.Error as error:
        kind, (text, mistakes) = error.__reduce__()
        answer = {"error": kind.__name__, "text": text, "mistakes": mistakes}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
