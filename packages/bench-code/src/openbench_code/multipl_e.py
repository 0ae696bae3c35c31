"""MultiPL-E: HumanEval and MBPP in C++, JavaScript and Bash.

Cassano et al. (2022), https://arxiv.org/abs/2208.08227
"""

import re
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.datasets import read_rows
from openbench.errors import UsageError
from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.reasons import unanswered, unscored
from openbench_code.answers import code_blocks
from openbench_code.build import code_task, solution
from openbench_code.metadata import MULTIPL_E
from openbench_code.scorer import limits_of, program_slot
from openbench_sandbox import Limits, SandboxError, jail

PROMPT = """\
Complete this {language} function:

```{fence}
{start}
```

Give the whole function in one block of code, with everything that it needs."""


@dataclass(frozen=True)
class Language:
    """How programs in a language are recognised, compiled and run.

    Attributes:
        name: The display name.
        file: The file name of a program.
        build: The command that compiles it, if there is one.
        run: The command that runs it.
        defines: The pattern of a line that defines a function, with `NAME` for its name.
        needs: The pattern of the prompt's lines that are prepended to an answer with the whole function.
        main: The pattern where an answer's own tests begin, if it may have any.
        done: The code that prints `WORD` when the tests complete; it is inserted before `last`.
        last: The text at the end of the tests before which `done` is inserted.
    """

    name: str
    file: str
    run: Sequence[str]
    defines: str
    done: str
    build: Sequence[str] = ()
    needs: str = r"(?!)"
    main: str = r"(?!)"
    last: str = ""


LANGUAGES: Mapping[str, Language] = {
    "cpp": Language(
        name="C++",
        file="main.cpp",
        build=["g++", "-std=c++17", "main.cpp", "-o", "main"],
        run=["./main"],
        defines=r"^[\w:<>,&*\s]+?\bNAME\s*\([^;{}]*\)\s*(?:const\s*)?\{",
        needs=r"#include.*",
        main=r"^int\s+main\s*\(",
        done='std::cout << std::endl << "WORD" << std::endl;\n',
        last="}",
    ),
    "js": Language(
        name="JavaScript",
        file="main.js",
        run=["node", "main.js"],
        defines=r"^\s*(?:async\s+)?function\s+NAME\s*\(|^\s*(?:const|let|var)\s+NAME\s*=",
        done='\nconsole.log("\\nWORD");\n',
    ),
    "sh": Language(
        name="Bash",
        file="main.sh",
        run=["bash", "main.sh"],
        defines=r"^\s*(?:function\s+)?NAME\s*(?:\(\s*\))?\s*\{",
        done='\nprintf "\\nWORD\\n"\n',
    ),
}

reference = solution


@task
def multipl_e(
    language: str = "sh",
    source: str = "humaneval",
    attempts: int = 1,
    seconds: float = 30.0,
    memory: int = 2048,
) -> Task:
    """MultiPL-E: problems of HumanEval or MBPP in another language, by default in Bash, which every system has.

    Args:
        language: cpp, js or sh; its compiler or interpreter must be installed under /usr.
        source: humaneval or mbpp.
        attempts: The number of epochs; several are also reported as pass@k.
        seconds: The CPU time of compiling and of running, each, in seconds.
        memory: The memory limit of each, in MiB.
    """
    if language not in LANGUAGES:
        raise UsageError(f"multipl_e: language={language!r}: expected one of {', '.join(LANGUAGES)}.")
    if source not in ("humaneval", "mbpp"):
        raise UsageError(f"multipl_e: source={source!r}: expected humaneval or mbpp.")
    chosen = LANGUAGES[language]
    tool = [*chosen.build, *chosen.run][0]
    if shutil.which(tool) is None:
        raise UsageError(f"multipl_e: {chosen.name} needs {tool}, which is not installed.")

    def to_samples(row: dict[str, Any]) -> Sequence[Sample]:
        return [multipl_e_sample(row)] if row["language"] == language else []

    rows = read_rows(replace(MULTIPL_E, config=f"{source}-{language}"))
    return code_task("multipl_e", rows, to_samples, passes_foreign_tests(seconds, memory), attempts=attempts)


def multipl_e_sample(row: dict[str, Any]) -> Sample:
    """Map a row. Only the package's sample rows contain a solution."""
    language = LANGUAGES[row["language"]]
    fence = {"sh": "bash"}.get(row["language"], row["language"])
    return Sample(
        id=row["name"],
        input=PROMPT.format(language=language.name, fence=fence, start=row["prompt"].rstrip()),
        target=row.get("solution") or "",
        metadata={
            "problem": row["name"],
            **{key: row[key] for key in ("language", "prompt", "tests", "stop_tokens")},
        },
    )


@scorer(metrics=[accuracy(), stderr()])
def passes_foreign_tests(seconds: float = 30.0, memory: int = 2048) -> Scorer:
    """Score programs in other languages by tests in the same program: 1 for passed, 0 for wrong, higher is better.

    The tests are part of the program, and end by printing a word that the answer cannot know. A program that reads its
    own file can still find the word, since tests and program share a process.

    Args:
        seconds: The CPU time of compiling and of running, each, in seconds.
        memory: The memory limit of each, in MiB.
    """
    limits = limits_of(seconds, memory)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        return await score_foreign(state.output.completion, state.metadata, limits)

    return score


async def score_foreign(completion: str, row: Mapping[str, Any], limits: Limits) -> Score:
    """Score an answer to a row's `prompt` in its `language` by its `tests`; see `passes_foreign_tests`."""
    program = read_foreign(completion, row)
    if program is None:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    language, word = LANGUAGES[row["language"]], secrets.token_hex(16)
    try:
        async with program_slot():
            problem = await _problem(program.replace(_WORD, word), language, word, limits)
    except (SandboxError, OSError) as error:
        return unscored(f"the sandbox failed: {error}", program)
    return Score(
        value=INCORRECT if problem else CORRECT,
        answer=program,
        explanation=problem or "passed",
        metadata={"outcome": "failed" if problem else "passed"},
    )


def read_foreign(completion: str, row: Mapping[str, Any]) -> str | None:
    """Return an answer's program with tests that end by printing `WORD`; None if the answer contains no code.

    The function is read from the last block of code that defines it; otherwise the last block continues the prompt's
    code. Without blocks, the text up to the first of the row's stop tokens continues it.
    """
    language = LANGUAGES[row["language"]]
    text = strip_reasoning(completion)
    blocks = [block.code for block in code_blocks(text) if block.code.strip()]
    defines = _definition(row["prompt"], language)
    whole = next((code for code in [*reversed(blocks), text] if defines.search(code)), None)
    tests = _ending(row["tests"], language)
    if whole is not None:
        own = re.search(language.main, whole, re.MULTILINE)
        needed = "".join(f"{line}\n" for line in re.findall(rf"^{language.needs}$", row["prompt"], re.MULTILINE))
        code = whole[: own.start()] if own else whole
        return f"{needed}{code}\n{tests.removeprefix('}')}"
    if not blocks and not re.search(r"[{};=$]", text):
        return None
    body = blocks[-1] if blocks else _until(text, row["stop_tokens"])
    closed = body.count("}") > body.count("{")
    opens = not tests.startswith("}")
    return f"{row['prompt']}{body}\n" + (
        ("" if closed else "}\n") + tests if opens else tests.removeprefix("}") if closed else tests
    )


_WORD = "WORD"


def _definition(prompt: str, language: Language) -> re.Pattern[str]:
    """Return a pattern for the definition of the function that begins at the end of a prompt."""
    (*_, signature) = (line for line in prompt.splitlines() if line.strip())
    names = re.findall(r"(\w+)\s*\(", signature)
    if not names:
        raise ValueError(f"prompt: no function begins in the last line, {signature!r}")
    return re.compile(language.defines.replace("NAME", re.escape(names[0])), re.MULTILINE)


def _ending(tests: str, language: Language) -> str:
    """Return tests that print `WORD` when they complete."""
    before, last, after = tests.rpartition(language.last) if language.last else (tests, "", "")
    return f"{before}{language.done}{last}{after}"


def _until(text: str, stops: Sequence[str]) -> str:
    """Return a text up to the first of several strings."""
    return text[: min((place for stop in stops if (place := text.find(stop)) >= 0), default=len(text))]


async def _problem(program: str, language: Language, word: str, limits: Limits) -> str | None:
    async with jail(limits) as built:
        await built.write(language.file, program)
        for command in filter(None, (language.build, language.run)):
            ended = await built.run(command)
            if ended.limit:
                return f"{command[0]}: limit exceeded: {ended.limit}"
            if ended.returncode:
                return f"{command[0]}: {ended.stderr.decode(errors='replace').strip()[-500:] or ended.returncode}"
    lines = ended.stdout.decode(errors="replace").split()
    return None if lines[-1:] == [word] else "the tests did not complete"
