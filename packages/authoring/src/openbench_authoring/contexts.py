"""A sample's information for its metrics besides the ground truth, and its form in the metadata."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict


class BaseMetricContext(BaseModel):
    """A metric's information on a sample; a benchmark's own context derives from it, or names fields freely."""

    model_config = ConfigDict(extra="allow")


class LanguageMetricContext(BaseMetricContext):
    """The language of a sample, as two letters of ISO 639-1; of `en-de`, the second is that of the question."""

    language: str


class WordCounterMetricContext(BaseMetricContext):
    """The requested number of words."""

    comparison: Literal["less than", "at least"]
    word_count: int


class ParagraphCounterMetricContext(BaseMetricContext):
    """The requested number of paragraphs."""

    comparison: Literal["less than", "at least"]
    paragraph_count: int


class SentenceCounterMetricContext(BaseMetricContext):
    """The requested number of sentences."""

    comparison: Literal["less than", "at least"]
    sentence_count: int


class StructMetricContext(BaseMetricContext):
    """The requested type of text, and its required paths (`openbench_scorers.structure`)."""

    output_type: str
    paths: list[str]


class RenderableStructMetricContext(BaseMetricContext):
    """The requested type of text, and its required keywords."""

    output_type: str
    keywords: list[str]


class IFEvalMetricContext(BaseMetricContext):
    """The verifiable instructions, with their arguments."""

    key: int
    instruction_id_list: list[str]
    prompt: str
    additional_kwargs: list[dict[str, Any]]


class LLMJudgeFormatCorrectnessContext(LanguageMetricContext):
    """The language of a sample whose format is judged."""


class LLMJudgeSqlMetricContext(BaseMetricContext):
    """The dialect of SQL, and the schema of the database."""

    dialect: str
    db_schema: str


class MTBenchJudgeSingleMetricContext(BaseMetricContext):
    """The category of a conversation, and the reference answers by turn, if there are any."""

    category: str
    reference: list[str] | str | None = None


class MTBenchJudgePairMetricContext(MTBenchJudgeSingleMetricContext):
    """Likewise, with another model's answers by turn."""

    answer: list[str] | str


class UntemplatedPrompt(BaseMetricContext):
    """The original of a translated text."""

    untemplated_prompt: str


Context = BaseMetricContext | list[BaseMetricContext] | None
ContextT = TypeVar("ContextT", bound=BaseMetricContext)


class HasContext(Protocol):
    """A response whose sample may have a context."""

    @property
    def context(self) -> Context:
        """The sample's context, besides the ground truth."""
        ...


def find_context(response: HasContext, metric_context_class: type[ContextT]) -> ContextT | None:
    """Return a sample's context of a class; None without one."""
    contexts = response.context if isinstance(response.context, list) else [response.context]
    return next((context for context in contexts if isinstance(context, metric_context_class)), None)


def extract_context_metric(response: HasContext, metric_context_class: type[ContextT]) -> ContextT:
    """Return a sample's context of a class.

    Raises:
        ValueError: The sample has no context.
    """
    if found := find_context(response, metric_context_class):
        return found
    contexts = response.context if isinstance(response.context, list) else [response.context]
    given = ", ".join(type(context).__name__ for context in contexts if context is not None) or "none"
    raise ValueError(
        f"the metric needs a {metric_context_class.__name__}, but the sample's context is {given}. "
        "Return one from _get_context."
    )


def dumped(context: Context) -> Any:
    """Return a context as plain data: its fields under the name of its class."""
    if isinstance(context, list):
        return [dumped(each) for each in context]
    return None if context is None else {type(context).__name__: context.model_dump(mode="json")}


def loaded(data: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None) -> Context:
    """Return a dumped context; or, if its class no longer exists, a `BaseMetricContext`."""
    if data is None:
        return None
    if isinstance(data, Mapping):
        return _loaded(data)
    return [_loaded(each) for each in data]


def _loaded(data: Mapping[str, Any]) -> BaseMetricContext:
    ((name, values),) = data.items()
    classes = {each.__name__: each for each in _derived(BaseMetricContext)}
    return classes.get(name, BaseMetricContext)(**values)


def _derived(of: type[BaseMetricContext]) -> Iterator[type[BaseMetricContext]]:
    for each in of.__subclasses__():
        yield each
        yield from _derived(each)
