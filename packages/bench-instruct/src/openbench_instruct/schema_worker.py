"""Scores JSON by its schema in a separate process, since matching a schema's pattern may never end; see `Workers`."""

import contextlib
import json
import math
import signal
import sys

from openbench.errors import UsageError
from openbench_scorers.json_format import score_json
from openbench_scorers.json_text import Schema


def main() -> None:
    """Reply to each line with the values, or with the schema's problem."""
    print("{}", flush=True)  # noqa: T201 - ready
    for line in sys.stdin:
        request = json.loads(line)
        # The parent may have ended by then, and could not end this process.
        with contextlib.suppress(AttributeError):
            signal.alarm(math.ceil(request["seconds"]) + 1)
        try:
            score = score_json(request["completion"], [], Schema(json.loads(request["schema"])))
            reply = {"values": score.value, "explanation": score.explanation}
        except (UsageError, ValueError, RecursionError) as error:
            reply = {"problem": str(error)}
        with contextlib.suppress(AttributeError):
            signal.alarm(0)
        print(json.dumps(reply), flush=True)  # noqa: T201 - the reply


if __name__ == "__main__":
    main()
