"""A process that runs Math-Verify for `openbench_scorers.symbolic`.

Each line of stdin is a request, each line of stdout its reply, both JSON. The first reply signals that it is ready.
"""

import contextlib
import importlib
import json
import math
import os
import re
import signal
import sys
from typing import Any

_MOST_MEMORY = 4 * 1024**3
_LONGEST_BARE = 200
_DELIMITER = re.compile(r"(?<!\\)\$|\\[(\[]|\\boxed")
_PROSE = re.compile(r"\n|(?<![\\A-Za-z{])[A-Za-z]{4,}")


def main() -> None:
    """Answer requests until stdin ends."""
    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    # Output of libraries is not a reply.
    os.dup2(2, 1)
    _limit_memory()
    library = importlib.import_module("math_verify")
    _reply(replies, {"ready": True})
    for line in sys.stdin:
        request = json.loads(line)
        # The parent may have exited by then, and could not end this process.
        with contextlib.suppress(AttributeError):
            signal.alarm(math.ceil(request["seconds"]) + 1)
        try:
            reply = judge(library, request["completion"], request["targets"])
        except Exception as error:  # noqa: BLE001 - any error of the library is reported to the parent
            reply = {"error": f"{type(error).__name__}: {error}"[:300]}
        with contextlib.suppress(AttributeError):
            signal.alarm(0)
        _reply(replies, reply)


def judge(library: Any, completion: str, targets: list[str]) -> dict[str, Any]:
    """Return whether the answer of a completion is equivalent to a target, and the answer as written.

    Args:
        library: The module `math_verify`.
        completion: The model's completion.
        targets: The correct answers.

    Returns:
        `right` (None if no target can be parsed) and `answer` (None without one).
    """
    golds = [gold for target in targets if (gold := _parsed(library, _as_formula(target)))]
    if not golds:
        return {"right": None, "answer": None}
    answer = None
    for text in _candidates(completion):
        parsed = _parsed(library, text)
        answer = next((part for part in parsed if isinstance(part, str)), answer)
        if parsed and any(_verified(library, gold, parsed) for gold in golds):
            return {"right": True, "answer": answer}
    return {"right": False, "answer": answer}


def _parsed(library: Any, text: str) -> list[Any]:
    # The library's own timeout uses signals; here the parent enforces the timeout.
    return list(library.parse(text, parsing_timeout=None))


def _verified(library: Any, gold: list[Any], parsed: list[Any]) -> bool:
    return bool(library.verify(gold, parsed, timeout_seconds=None))


def _candidates(completion: str) -> list[str]:
    """Return the texts to search for an answer: a completion that is a bare formula is also read as one."""
    text = completion.strip()
    bare = len(text) <= _LONGEST_BARE and not _PROSE.search(text) and _as_formula(text) != text
    return [_as_formula(text), text] if bare else [text]


def _as_formula(text: str) -> str:
    return text if _DELIMITER.search(text) else f"${text}$"


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        resource = importlib.import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))


def _reply(stream: Any, reply: dict[str, Any]) -> None:
    stream.write(json.dumps(reply) + "\n")
    stream.flush()


if __name__ == "__main__":
    main()
