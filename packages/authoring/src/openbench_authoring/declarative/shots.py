"""Few-shot examples of a declaration, in the form in which its questions are asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Any

from inspect_ai.dataset import Dataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageUser
from inspect_ai.solver import MultipleChoiceTemplate

from openbench.datasets import Rows, load_samples
from openbench.errors import DataError, UsageError
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt, option_lines
from openbench_authoring.declarative.config import BenchmarkConfig
from openbench_authoring.declarative.horangi import KOREAN_TEMPLATE
from openbench_authoring.declarative.mapping import Row, row_mapping, sample_of, with_defaults
from openbench_authoring.declarative.sources import shot_rows
from openbench_authoring.few_shot import Pool, Shot, as_message, as_turns, by_key, draw

_EXAMPLES = "few_shot.examples"


@dataclass(frozen=True)
class Shots:
    """Puts examples before questions.

    Attributes:
        config: The declaration.
        offers_choices: Whether the solver writes the choices into the prompt, so that examples must show them too.
        shows_choices: Whether the question includes them.
        fixed: The same examples before every question, if the declaration gives them.
        pools: The pools that examples are drawn from otherwise, by the value of `few_shot.by`; all under None without
            it.
    """

    config: BenchmarkConfig
    offers_choices: bool
    shows_choices: bool
    fixed: Sequence[Shot]
    pools: Mapping[Any, Pool[Row]]

    def put_before(self, sample: Sample, row: Row) -> None:
        """Change a sample's input to one with examples.

        Args:
            sample: The sample.
            row: Its row, which is never an example of its own.

        Raises:
            DataError: There are too few rows to draw from.
        """
        shots = self.fixed or [self.shot(sample_of(drawn, self.config)) for drawn in self._drawn(sample, row)]
        if self._as_turns:
            sample.input = [*as_turns(shots), *_messages(sample.input)]
        elif isinstance(sample.input, str):
            sample.input = as_message(shots, sample.input)
        else:
            raise DataError(
                f"the sample {sample.id!r} is a conversation, before which few_shot.as = 'message' puts no examples. "
                "Use turns."
            )

    @property
    def _as_turns(self) -> bool:
        return bool(self.config.few_shot.get("as", "turns") == "turns")

    def _drawn(self, sample: Sample, row: Row) -> Sequence[Row]:
        options = self.config.few_shot
        row = with_defaults(row, self.config)
        kind = row.get(options["by"]) if "by" in options else None
        if kind not in self.pools:
            raise DataError(f"the sample {sample.id!r}: no few-shot example has {kind!r} as its {options['by']}.")
        seed = options.get("seed", self.config.seed)
        return draw(self.pools[kind], options["count"], item=row, seed=seed, sample_id=str(sample.id))

    def shot(self, sample: Sample) -> Shot:
        """Return a sample as an example, in the form in which it would be asked."""
        answer = sample.target if isinstance(sample.target, str) else ", ".join(sample.target)
        if self.offers_choices:
            return Shot(self._question(sample), f"ANSWER: {answer}")
        lettered = self.shows_choices and bool(sample.choices)
        cue = (sample.metadata or {}).get("cue") or self.config.cue or ("Answer:" if lettered else None)
        if cue and not answer.startswith(cue.strip()):
            answer = f"{cue.rstrip()} {answer}"
        return Shot(self._question(sample) if lettered else _text(sample), answer)

    def _question(self, sample: Sample) -> str:
        options = "\n".join(option_lines(sample.choices or ()))
        if not self._as_turns:
            return f"{_text(sample)}\n\n{options}"
        if self.shows_choices:
            return create_dynamic_multiple_choice_prompt(_text(sample), sample.choices or ())
        letters = ",".join(ascii_uppercase[: len(sample.choices or ())])
        return _template(self.config).format(question=_text(sample), choices=options, letters=letters)


def shots_of(
    config: BenchmarkConfig, rows: Rows, *, offers_choices: bool, shows_choices: bool, lettered: bool
) -> Shots | None:
    """Return the examples of a declaration; None if it declares none.

    Args:
        config: The declaration.
        rows: The evaluated rows, from which examples are drawn if no others are given.
        offers_choices: As in `Shots`.
        shows_choices: As in `Shots`.
        lettered: As in `row_mapping`.

    Raises:
        DataError: The examples cannot be loaded, or one does not fit.
        UsageError: Examples are grouped by a column whose values cannot group them.
    """
    options = config.few_shot
    if not options:
        return None
    if "examples" in options:
        none = Shots(config, offers_choices, shows_choices, (), {})
        samples = _checked(Rows(_EXAMPLES, options["examples"]), config, lettered=lettered)
        return replace(none, fixed=[none.shot(sample) for sample in samples])
    pool = shot_rows(config)
    if pool is not None:  # the rows that are evaluated are checked already
        _checked(pool, config, lettered=lettered)
    from_ = [with_defaults(row, config) for row in (pool or rows).rows]
    try:
        groups: Mapping[Any, Sequence[Row]] = by_key(from_, options["by"]) if "by" in options else {None: from_}
    except TypeError as error:
        raise UsageError(f"few_shot.by = {options['by']!r}: {error}") from error
    return Shots(config, offers_choices, shows_choices, (), {key: Pool(of) for key, of in groups.items()})


def _checked(rows: Rows, config: BenchmarkConfig, *, lettered: bool) -> Dataset:
    return load_samples(rows, row_mapping(config, lettered=lettered), name=_EXAMPLES)


def _template(config: BenchmarkConfig) -> str:
    arguments = config.solver_args
    if own := arguments.get("template"):
        return str(own)
    if config.solver == "korean_multiple_choice":
        return KOREAN_TEMPLATE
    several = "MULTIPLE" if arguments.get("multiple_correct") else "SINGLE"
    return str(MultipleChoiceTemplate[f"{several}_ANSWER{'_COT' if arguments.get('cot') else ''}"].value)


def _text(sample: Sample) -> str:
    return sample.input if isinstance(sample.input, str) else sample.input[-1].text


def _messages(asked: str | list[ChatMessage]) -> list[ChatMessage]:
    return [ChatMessageUser(content=asked)] if isinstance(asked, str) else asked
