"""One point of a sweep in a process of its own: fields as JSON on standard input, what `simulate` answers or raises,
pickled, on standard output. What crashes so costs one point."""

from __future__ import annotations

import json
import pickle
import signal
import sys

from . import _errors
from ._run import simulate


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    request = json.load(sys.stdin)
    try:
        answer = simulate(request, None)
    except _errors.Error as error:
        answer = error
    pickle.dump(answer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
