"""`fidelity.md`: a section for each benchmark of a package."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from openbench.errors import OpenbenchError
from openbench.registry.benchmark import Benchmark
from openbench_testing.fidelity.adapter import Adapter, Verdict
from openbench_testing.fidelity.measure import Scored

FILE = "fidelity.md"
LEAST = 99.5
"""The required agreement, in per cent."""

_HEAD = """\
# Fidelity

Recorded completions of real models, scored by the original's published code and by this package. `bench fidelity`
writes this file. A benchmark without recorded completions is not shown to agree with its original.
"""
_UNKNOWN = "No recorded completions: nothing is known of its agreement with the original."
_AGREEMENT = re.compile(r"agreement ([\d.]+) %")
_UNEXPLAINED = "not explained"
_LONGEST = 40


def read_sections(file: Path) -> dict[str, str]:
    """Return the sections of a `fidelity.md` by benchmark; empty if the file does not exist."""
    text = file.read_text("utf-8") if file.is_file() else ""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)[1:]
    return {key: body.strip() for key, body in zip(parts[::2], parts[1::2], strict=True)}


def write_sections(file: Path, sections: Mapping[str, str], benchmarks: Sequence[str]) -> None:
    """Write a `fidelity.md` with a section for each of these benchmarks.

    Raises:
        OpenbenchError: The file cannot be written.
    """
    bodies = [f"## {key}\n\n{sections.get(key, _UNKNOWN)}\n" for key in sorted(benchmarks)]
    text = "\n".join([_HEAD, *bodies])
    try:
        if not file.is_file() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")
    except OSError as error:
        raise OpenbenchError(f"{file} cannot be written: {error.strerror}.") from error


def verdict(section: str) -> str:
    """Return the first paragraph of a section."""
    return " ".join(section.partition("\n\n")[0].split()) or _UNKNOWN


def agrees(section: str) -> bool | None:
    """Return whether a section shows agreement of `LEAST` or more with all differences explained; None if unknown."""
    found = _AGREEMENT.search(verdict(section))
    return None if found is None else float(found[1]) >= LEAST and _UNEXPLAINED not in section


def section_of(benchmark: Benchmark, adapter: Adapter, scored: Sequence[Scored]) -> str:
    """Return the section of a benchmark: agreement by model, and every disagreement with its reason."""
    differing = [each for each in scored if not each.same]
    same, models = len(scored) - len(differing), defaultdict(list)
    for each in scored:
        models[str(each.record.get("model", "unnamed"))].append(each)
    # Rounded down: 100 % means all.
    agreement = 10_000 * same // len(scored) / 100
    count = f"{len(scored):,} recorded completions of {len(models)} {'model' if len(models) == 1 else 'models'}"
    lines = [
        f"{count}, {same:,} of them with the same verdict: agreement {agreement:.2f} %.",
        "",
        f"- Completions: {adapter.COMPLETIONS} (sha256 of those read: {_digest(scored)})",
        f"- Original: {adapter.ORIGINAL}",
        f"- Scored by {benchmark.distribution} {benchmark.version}, whose default arguments apply.",
        "",
        "| model | completions | original's score | ours | same verdict |",
        "|---|---:|---:|---:|---:|",
        *(_row(name, of) for name, of in sorted(models.items())),
    ]
    if differing:
        lines += ["", "| sample | model | original | ours | read as | why |", "|---|---|---|---|---|---|"]
        lines += [_difference(each, adapter) for each in differing]
    return "\n".join(lines)


def _row(name: str, of: Sequence[Scored]) -> str:
    original, ours = (_mean([getattr(each, side) for each in of]) for side in ("original", "ours"))
    return f"| {_cell(name)} | {len(of):,} | {original} | {ours} | {sum(each.same for each in of):,} |"


def _mean(verdicts: Sequence[Verdict]) -> str:
    """Return the mean of the verdicts that are not None, for each name if there are several."""
    named: dict[str, list[float]] = defaultdict(list)
    for given in verdicts:
        for name, value in given.items() if isinstance(given, Mapping) else [("", given)]:
            if value is not None:
                named[name].append(value)
    return ", ".join(f"{name} {sum(of) / len(of):.4f}".strip() for name, of in named.items()) or "none"


def _difference(each: Scored, adapter: Adapter) -> str:
    why = adapter.explain(each.record, each.original, each.ours) or _UNEXPLAINED
    model = str(each.record.get("model", "unnamed"))
    cells = (each.sample, model, _shown(each.original), _shown(each.ours), _answer(each.answer), why)
    return f"| {' | '.join(map(_cell, cells))} |"


def _shown(given: Verdict) -> str:
    if isinstance(given, Mapping):
        return ", ".join(f"{name} {value:g}" for name, value in given.items())
    return "no verdict" if given is None else f"{given:g}"


def _answer(answer: str) -> str:
    text = " ".join(answer.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _digest(scored: Sequence[Scored]) -> str:
    digest = hashlib.sha256()
    for each in scored:
        digest.update(f"{each.sample}\0{each.record['completion']}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
