"""Loads a dataset from the Hub, and says what to do when the Hub does not give it."""

import contextlib
import hashlib
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openbench.datasets.files import FROM_ELSEWHERE
from openbench.datasets.retrying import chain, out_of_reach, patiently, status_of
from openbench.errors import DataError
from openbench.metadata import DatasetSource

if TYPE_CHECKING:
    from pyarrow import Table

_UNAUTHORIZED = 401
_REFUSED = (_UNAUTHORIZED, 403)
_GIT_DIGITS = 40
_SHA256_DIGITS = 64
_NEVER_STORED = "It has no pin, so that it is never stored: each run needs the Hub."


@dataclass(frozen=True)
class Loaded:
    """A dataset that was loaded: its rows as Python has them, and the table that they come from."""

    rows: Sequence[Mapping[str, Any]]
    table: "Table"


def hub_label(source: DatasetSource) -> str:
    """Return what messages call a dataset: repository, configuration, split."""
    return " ".join(part for part in (source.source, source.config, source.split) if part)


def load_from_hub(source: DatasetSource, options: Mapping[str, Any]) -> Loaded:
    """Load a split, with everything that the Hub's libraries have kept of it.

    Args:
        source: The dataset, whose split is given.
        options: Further arguments of `datasets.load_dataset`.

    Raises:
        DataError: The Hub does not give it, or what it gave is not what the pin says.
    """
    import datasets  # noqa: PLC0415 - a second to import, and stored rows do not need it

    label = hub_label(source)
    at = f" at {source.revision}" if source.revision else ""

    def load() -> datasets.Dataset:
        return datasets.load_dataset(
            source.source, source.config, split=source.split, revision=source.revision, **options
        )

    unreached = None if datasets.config.HF_HUB_OFFLINE else _unreached()
    try:
        with _quiet_unless_watched(), _without_tries_in_vain(unreached):
            loaded = load() if datasets.config.HF_HUB_OFFLINE else patiently(label, load)
    except Exception as error:
        raise DataError(f"{label}{at} cannot be loaded: {_reason(source, error, unreached)}") from error
    if source.revision and source.pinned:
        _check_revision(label, source.revision, loaded.cache_files)
        _check_downloads(source.source, source.revision)
    return Loaded(loaded.to_list(), loaded.with_format("arrow")[:])


@contextlib.contextmanager
def _quiet_unless_watched() -> Iterator[None]:
    """Show the Hub's progress bars on a terminal only."""
    import datasets  # noqa: PLC0415 - as above

    if sys.stderr.isatty() or datasets.are_progress_bars_disabled():
        yield
        return
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        datasets.enable_progress_bars()


def _unreached() -> BaseException | None:
    """Return what keeps the Hub from being reached at all; its library would go on asking for minutes."""
    from huggingface_hub import constants, get_session  # noqa: PLC0415 - as above

    try:
        get_session().head(constants.ENDPOINT, timeout=constants.HF_HUB_ETAG_TIMEOUT)
    except Exception as error:  # noqa: BLE001 - whatever else is wrong shows when it is asked for a dataset
        return out_of_reach(error)
    return None


@contextlib.contextmanager
def _without_tries_in_vain(unreached: object) -> Iterator[None]:
    """Take what the Hub's libraries have kept if it is out of reach; else let ours alone tell of further tries."""
    import datasets  # noqa: PLC0415 - as above
    from huggingface_hub import constants  # noqa: PLC0415

    notes = logging.getLogger("huggingface_hub.utils._http")
    before = notes.level, datasets.config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE
    notes.setLevel(logging.ERROR)
    if unreached:
        datasets.config.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        level, datasets.config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE = before
        notes.setLevel(level)


def _check_revision(label: str, revision: str, files: Sequence[Mapping[str, str]]) -> None:
    """Without an answer from the Hub, `datasets` takes the newest copy that it has, whatever its revision."""
    if any(revision not in Path(file["filename"]).parts for file in files):
        raise DataError(
            f"{label} at {revision} cannot be loaded: the Hub does not answer, and the copy that its library has is "
            f"of another revision. {FROM_ELSEWHERE}"
        )


def _check_downloads(repo: str, revision: str) -> None:
    """Compare the files that were downloaded with the digests by which the Hub names them."""
    from huggingface_hub import constants  # noqa: PLC0415 - as above

    folder = Path(constants.HF_HUB_CACHE) / f"datasets--{repo.replace('/', '--')}" / "snapshots" / revision
    for path in sorted(folder.rglob("*")):
        blob = path.resolve()
        if blob == path.absolute() or not blob.is_file():
            continue  # where links are not to be had, a file does not bear its digest's name
        if _digest_like(blob, blob.stat().st_mtime_ns) not in {blob.name, None}:
            raise DataError(
                f"{repo} at {revision} cannot be loaded: {blob} is damaged, {path.relative_to(folder)} of this "
                "revision has another digest. Remove the file; it is downloaded again."
            )


@cache
def _digest_like(blob: Path, _changed: int) -> str | None:
    """Return a file's digest of the kind that its name is: git's of a blob, or a SHA-256; None if it is neither."""
    if len(blob.name) not in (_GIT_DIGITS, _SHA256_DIGITS):
        return None
    if len(blob.name) == _SHA256_DIGITS:
        whole = hashlib.sha256()
    else:
        whole = hashlib.sha1(b"blob %d\0" % blob.stat().st_size, usedforsecurity=False)
    with blob.open("rb") as file:
        while part := file.read(1 << 20):
            whole.update(part)
    return whole.hexdigest()


def _reason(source: DatasetSource, error: Exception, unreached: BaseException | None) -> str:
    """Say why the Hub did not give a dataset, and the way out where there is one."""
    from datasets import config  # noqa: PLC0415 - as above
    from datasets.exceptions import DatasetNotFoundError  # noqa: PLC0415
    from huggingface_hub import constants  # noqa: PLC0415

    way_out = FROM_ELSEWHERE if source.pinned else _NEVER_STORED
    if config.HF_HUB_OFFLINE:
        return f"HF_HUB_OFFLINE is set, and there is no copy of it here. {way_out}"
    if isinstance(error, DatasetNotFoundError) or status_of(error) in _REFUSED:
        refused = _refusal(source.source)
        if refused:
            return refused
    said = f"{type(error).__name__}: {error}"
    if not any(isinstance(each, ConnectionError) for each in chain(error)):
        return said
    return f"{f'{constants.ENDPOINT} cannot be reached: {unreached}' if unreached else said}. {way_out}"


def _refusal(repo: str) -> str | None:
    """Ask the Hub whether it gives a dataset to whoever asks; None if it does, or says nothing of it."""
    from huggingface_hub import HfApi, constants, get_token  # noqa: PLC0415 - as above
    from huggingface_hub.errors import GatedRepoError  # noqa: PLC0415

    page = f"{constants.ENDPOINT}/datasets/{repo}"
    try:
        HfApi().auth_check(repo, repo_type="dataset")
    except GatedRepoError:
        if get_token():
            return (
                f"it is gated, and the account of your token has no access to it. Ask for it at {page} with that "
                "account, and run this again when it is granted."
            )
        return (
            f"it is gated, and no token was sent. Accept its conditions at {page}, then log in with the same account: "
            "'hf auth login', or a token in HF_TOKEN."
        )
    except Exception as error:  # noqa: BLE001 - the first error tells more than any but these
        if status_of(error) == _UNAUTHORIZED and get_token():
            where = "HF_TOKEN" if os.environ.get("HF_TOKEN") else "'hf auth login'"
            return (
                f"the Hub refuses the token of {where}. Make another at {constants.ENDPOINT}/settings/tokens, or "
                "unset it: public datasets need none."
            )
        if status_of(error) == _UNAUTHORIZED:
            return "it does not exist, or it is private: then log in ('hf auth login', or a token in HF_TOKEN)"
    return None
