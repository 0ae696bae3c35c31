"""The command `python -m openbench_testing.chat`: serves scripted answers until it is interrupted."""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from openbench_testing.chat.completions import ChatRequest
from openbench_testing.chat.server import ChatServer
from openbench_testing.server import serve_until_interrupted

_RULE = '{"contains": "TEXT", "answer": "TEXT"}'


@dataclass(frozen=True, slots=True)
class _Rule:
    contains: str
    answer: str


def answers_from(path: Path, default: str) -> Callable[[ChatRequest], str]:
    """Return a function that answers with the first rule whose `contains` occurs in the prompt, or with the default.

    Args:
        path: JSON lines of `{"contains": "TEXT", "answer": "TEXT"}`, UTF-8.
        default: The answer if no rule matches.

    Raises:
        ValueError: A line is not such an object.
    """
    with path.open(encoding="utf-8") as lines:
        rules = [_rule(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]

    def answer(request: ChatRequest) -> str:
        prompt = request.prompt
        return next((rule.answer for rule in rules if rule.contains in prompt), default)

    return answer


def _rule(path: Path, number: int, line: str) -> _Rule:
    try:
        match json.loads(line):
            case {"contains": str(contains), "answer": str(answer), **others} if not others:
                return _Rule(contains, answer)
    except ValueError:
        pass
    raise ValueError(f"{path}, line {number}: expected {_RULE}, got {line.strip()}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve scripted answers until SIGINT or SIGTERM, after printing the base URL on one line."""
    parser = argparse.ArgumentParser(prog="python -m openbench_testing.chat", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (default: any free one)")
    parser.add_argument("--answer", default="...", help="the text of every answer (default: ...)")
    parser.add_argument("--answers", type=Path, help=f"JSON lines of {_RULE}; the first match answers")
    options = parser.parse_args(arguments)
    try:
        answer = answers_from(options.answers, options.answer) if options.answers else options.answer
    except (OSError, ValueError) as error:
        parser.error(str(error))
    serve_until_interrupted(ChatServer(answer, record=False).listen_on(options.port), "{address}/v1")


if __name__ == "__main__":
    main()
