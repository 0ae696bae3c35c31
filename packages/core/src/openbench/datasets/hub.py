"""Loads a dataset from the Hub, and explains what to do when the Hub refuses or cannot be reached."""

import contextlib
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from openbench.datasets.fetch import OFFLINE_HINT, chain, status_of, unreachable, with_retries
from openbench.errors import DataError
from openbench.metadata import DatasetSource

_UNAUTHORIZED, _FORBIDDEN = 401, 403
_GIT_DIGITS, _SHA256_DIGITS = 40, 64
_NEVER_STORED = "It is not pinned, so it is never stored: each run needs the Hub."


def hub_label(source: DatasetSource) -> str:
    """Return the name of a dataset in messages: repository, configuration, split."""
    return " ".join(part for part in (source.source, source.config, source.split) if part)


def load_from_hub(source: DatasetSource, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a split, which is loaded with the caches of the Hub's libraries.

    Raises:
        DataError: The dataset cannot be loaded, or what was loaded is not what is pinned.
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
        _check_downloads(source.source, source.revision)
    rows: list[dict[str, Any]] = loaded.to_list()
    return rows


def _hub_unreachable() -> BaseException | None:
    """Return why the Hub cannot be reached at all; its library would retry for minutes."""
    from huggingface_hub import constants, get_session  # noqa: PLC0415 - as above

    try:
        get_session().head(constants.ENDPOINT, timeout=constants.HF_HUB_ETAG_TIMEOUT)
    except Exception as error:  # noqa: BLE001 - any other problem shows when the dataset is requested
        return unreachable(error)
    return None


@contextlib.contextmanager
def _hub_libraries(*, offline: bool) -> Iterator[None]:
    """Let the Hub's libraries read their caches only, if it is offline; leave the reports of retries to ours.

    Their progress bars show on a terminal only.
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
    """Refuse a copy of another revision, which `datasets` takes when the Hub does not answer."""
    if any(revision not in Path(file["filename"]).parts for file in files):
        raise DataError(
            f"{label} at {revision} cannot be loaded: the Hub does not answer, and the copy in its library's cache is "
            f"of another revision. {OFFLINE_HINT}"
        )


def _check_downloads(repo: str, revision: str) -> None:
    """Compare downloaded files with the digests that name them in the cache of the Hub's library."""
    from huggingface_hub import constants  # noqa: PLC0415 - as above

    folder = Path(constants.HF_HUB_CACHE) / f"datasets--{repo.replace('/', '--')}" / "snapshots" / revision
    for path in sorted(folder.rglob("*")):
        blob = path.resolve()
        if blob == path.absolute() or not blob.is_file():
            continue  # on systems without links, files do not have their digests' names
        if _digest_as_named(blob, blob.stat().st_mtime_ns) not in {blob.name, None}:
            raise DataError(
                f"{repo} at {revision} cannot be loaded: the downloaded file {blob} is damaged "
                f"({path.relative_to(folder)} of this revision has another digest). Remove it and try again."
            )


@cache
def _digest_as_named(blob: Path, _changed: int) -> str | None:
    """Return the digest of a file, of the kind of its name: a git blob's, or a SHA-256; None for other names."""
    from huggingface_hub.utils.sha import git_hash, sha_fileobj  # noqa: PLC0415 - as above

    if len(blob.name) == _GIT_DIGITS:
        return git_hash(blob.read_bytes())
    if len(blob.name) != _SHA256_DIGITS:
        return None
    with blob.open("rb") as file:
        return sha_fileobj(file).hex()


def _reason(source: DatasetSource, error: Exception, problem: BaseException | None) -> str:
    """Explain why a dataset cannot be loaded, with the way out if there is one."""
    from datasets import config  # noqa: PLC0415 - as above
    from datasets.exceptions import DatasetNotFoundError  # noqa: PLC0415
    from huggingface_hub import constants  # noqa: PLC0415

    hint = OFFLINE_HINT if source.pinned else _NEVER_STORED
    if config.HF_HUB_OFFLINE:
        return f"HF_HUB_OFFLINE is set, and there is no local copy. {hint}"
    refused = isinstance(error, DatasetNotFoundError) or status_of(error) in {_UNAUTHORIZED, _FORBIDDEN}
    if refused and (refusal := _refusal(source.source)):
        return refusal
    if not any(isinstance(each, ConnectionError) for each in chain(error)):
        return f"{type(error).__name__}: {error}"
    unreached = f"{constants.ENDPOINT} cannot be reached: {problem}"
    return f"{unreached if problem else f'{type(error).__name__}: {error}'}. {hint}"


def _refusal(repo: str) -> str | None:
    """Ask the Hub whether the user may read a dataset, and explain a refusal; None if there is none."""
    from huggingface_hub import HfApi, constants, get_token  # noqa: PLC0415 - as above
    from huggingface_hub.errors import GatedRepoError  # noqa: PLC0415

    page, token = f"{constants.ENDPOINT}/datasets/{repo}", get_token()
    try:
        HfApi().auth_check(repo, repo_type="dataset")
    except GatedRepoError:
        if token:
            return (
                f"it is gated, and the account of your token does not have access. Request it at {page} with that "
                "account, and try again once it is granted."
            )
        return (
            f"it is gated, and no token was sent. Accept its conditions at {page}, then log in with the same account: "
            "'hf auth login', or a token in HF_TOKEN."
        )
    except Exception as error:  # noqa: BLE001 - the first error says more than any other
        if status_of(error) != _UNAUTHORIZED:
            return None
        if not token:
            return "it does not exist, or it is private: then log in ('hf auth login', or a token in HF_TOKEN)"
        where = "HF_TOKEN" if os.environ.get("HF_TOKEN") else "'hf auth login'"
        return (
            f"the Hub refuses the token of {where}. Create a new one at {constants.ENDPOINT}/settings/tokens, or unset "
            "it: public datasets need no token."
        )
    return None
