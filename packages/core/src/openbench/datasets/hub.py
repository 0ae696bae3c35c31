"""Loads datasets from the Hub; errors explain how to get access, or what to do offline."""

import contextlib
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from openbench.datasets.fetch import OFFLINE_HINT, chain, status_of, unreachable, with_retries
from openbench.errors import DataError
from openbench.metadata import DatasetSource

_UNAUTHORIZED, _FORBIDDEN = 401, 403
_NEVER_STORED = "It is not pinned, so it is never stored: each run needs the Hub."


def hub_label(source: DatasetSource) -> str:
    """Return the name of a dataset in messages: repository, configuration and split."""
    return " ".join(part for part in (source.source, source.config, source.split) if part)


def load_from_hub(source: DatasetSource, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Load the rows of a split, with the caches of the Hub's libraries.

    Raises:
        DataError: The dataset cannot be loaded, or is not the pinned revision.
    """
    import datasets  # noqa: PLC0415 - a second to import, and stored rows do not need it

    label = hub_label(source)
    at = f" at {source.revision}" if source.revision else ""

    def load() -> datasets.Dataset:
        return datasets.load_dataset(
            source.source, source.config, split=source.split, revision=source.revision, **options
        )

    problem = None if datasets.config.HF_HUB_OFFLINE else _hub_unreachable()
    try:
        with _hub_libraries(offline=problem is not None):
            loaded = load() if datasets.config.HF_HUB_OFFLINE else with_retries(label, load)
    except Exception as error:
        raise DataError(f"{label}{at} cannot be loaded: {_reason(source, error, problem)}") from error
    if source.revision and source.pinned:
        _check_revision(label, source.revision, loaded.cache_files)
    rows: list[dict[str, Any]] = loaded.to_list()
    return rows


def _hub_unreachable() -> BaseException | None:
    """Return the error if the Hub is unreachable, in which case its library would retry for minutes."""
    from huggingface_hub import constants, get_session  # noqa: PLC0415 - as above

    try:
        get_session().head(constants.ENDPOINT, timeout=constants.HF_HUB_ETAG_TIMEOUT)
    except Exception as error:  # noqa: BLE001 - any other problem shows when the dataset is requested
        return unreachable(error)
    return None


@contextlib.contextmanager
def _hub_libraries(*, offline: bool) -> Iterator[None]:
    """Configure the Hub's libraries: caches only if offline, progress bars on terminals only.

    Their messages about retries are hidden, since `with_retries` has its own.
    """
    import datasets  # noqa: PLC0415 - as above
    from huggingface_hub import constants  # noqa: PLC0415

    logger = logging.getLogger("huggingface_hub.utils._http")
    before = logger.level, datasets.config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE
    hide_bars = not (sys.stderr.isatty() or datasets.are_progress_bars_disabled())
    logger.setLevel(logging.ERROR)
    if offline:
        datasets.config.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE = True
    if hide_bars:
        datasets.disable_progress_bars()
    try:
        yield
    finally:
        level, datasets.config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE = before
        logger.setLevel(level)
        if hide_bars:
            datasets.enable_progress_bars()


def _check_revision(label: str, revision: str, files: Sequence[Mapping[str, str]]) -> None:
    """Refuse a cached copy of another revision, which `datasets` falls back to if the Hub does not answer."""
    if any(revision not in Path(file["filename"]).parts for file in files):
        raise DataError(
            f"{label} at {revision} cannot be loaded: the Hub does not answer, and the copy in its library's cache is "
            f"of another revision. {OFFLINE_HINT}"
        )


def _reason(source: DatasetSource, error: Exception, problem: BaseException | None) -> str:
    """Explain why a dataset cannot be loaded, with the remedy if there is one."""
    from datasets import config  # noqa: PLC0415 - as above
    from datasets.exceptions import DatasetNotFoundError  # noqa: PLC0415
    from huggingface_hub import constants  # noqa: PLC0415

    hint = OFFLINE_HINT if source.pinned else _NEVER_STORED
    if config.HF_HUB_OFFLINE:
        return f"HF_HUB_OFFLINE is set, and there is no local copy. {hint}"
    # A missing revision raises the same error, but a login would not help.
    hidden = isinstance(error, DatasetNotFoundError) and not str(error).startswith("Revision")
    if hidden or status_of(error) in {_UNAUTHORIZED, _FORBIDDEN}:
        page = f"{constants.ENDPOINT}/datasets/{source.source}"
        return f"{error} If {page} exists, log in with an account that has access: 'hf auth login', or HF_TOKEN."
    if not any(isinstance(each, ConnectionError) for each in chain(error)):
        return f"{type(error).__name__}: {error}"
    unreached = f"{constants.ENDPOINT} cannot be reached: {problem}"
    return f"{unreached if problem else f'{type(error).__name__}: {error}'}. {hint}"
