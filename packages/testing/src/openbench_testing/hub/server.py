"""The part of the Hugging Face Hub's HTTP API that loading and uploading a dataset need, and plain files."""

import os
import re
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from openbench_testing.chat.breaking import broken, retry_after
from openbench_testing.chat.faults import Fault, FaultKind
from openbench_testing.hub import answers
from openbench_testing.hub.repository import MAIN, File, Repository, data_path, json_lines
from openbench_testing.hub.uploads import Uploads
from openbench_testing.server import HOST, LocalServer, Request, Response

Faults = Callable[[Request, int], Fault | None] | Iterable[Fault | None]

_DATASET = re.compile(r"[\w.-]+/[\w.-]+")
_REPO = r"(?P<repo>[^/]+(?:/[^/]+)??)"
_REVISION = r"(?P<revision>[^/]+)"
_RESOLVE = re.compile(rf"/datasets/{_REPO}/resolve/{_REVISION}/(?P<path>.+)")
_INFO = re.compile(rf"/api/datasets/{_REPO}(?:/revision/{_REVISION})?")
_TREE = re.compile(rf"/api/datasets/{_REPO}/tree/{_REVISION}(?:/(?P<path>.+))?")
_PATHS = re.compile(rf"/api/datasets/{_REPO}/paths-info/{_REVISION}")
_AUTH = re.compile(rf"/api/datasets/{_REPO}/auth-check")
_FILE = re.compile(r"/files/(?P<path>.+)")
_ROUTES = (
    (_AUTH, answers.auth_check),
    (_RESOLVE, answers.resolve),
    (_TREE, answers.tree),
    (_PATHS, answers.paths_info),
    (_INFO, answers.info),
)


class HubServer(LocalServer):
    """A dataset Hub for the length of a `with` block, read by the real `datasets.load_dataset`.

    `huggingface_hub` also creates datasets on it and commits files to them, with a token.

    `huggingface_hub` reads its endpoint on import, so start the loading process with the variables of `environment`.

    Args:
        faults: One fault for each request in order, or None for a normal answer, which all requests after the last
            fault also get; or a function from the request and its number (from 0) to a fault or None.
        tokens: The valid tokens; others are refused with 401. By default every token is valid.
        writers: The valid tokens that may write; others are refused with 403. By default all may.
    """

    def __init__(
        self, faults: Faults = (), *, tokens: Collection[str] | None = None, writers: Collection[str] | None = None
    ) -> None:
        super().__init__()
        self._next_fault = faults if callable(faults) else _in_order(faults)
        self._tokens = tokens
        self._lock = threading.Lock()
        self._repositories: dict[str, Repository] = {}
        self._uploads = Uploads(self._repositories, writers)
        self._files: dict[str, File] = {}
        self._requests: list[tuple[str, str]] = []

    @property
    def endpoint(self) -> str:
        """The value for `HF_ENDPOINT`: `http://127.0.0.1:PORT`."""
        return self.address

    @property
    def requests(self) -> list[tuple[str, str]]:
        """Method and path (percent-decoded, without the query) of every request so far."""
        return list(self._requests)

    def add(
        self,
        repo: str,
        rows: Iterable[Mapping[str, Any]],
        *,
        config: str = "default",
        split: str = "test",
        revision: str | None = None,
        gated: bool = False,
        granted: Collection[str] | None = None,
    ) -> str:
        """Add a split to a dataset and return its commit (40 hexadecimal digits).

        A new revision also contains the files of the dataset's newest one, as a commit would, and becomes `main`.

        Args:
            repo: `organisation/name`.
            rows: JSON objects in the schema of the dataset.
            config: The dataset's configuration.
            split: The split of the configuration; an existing split is replaced.
            revision: The commit id to give it (an existing one is amended), or a tag; by default an id derived from the
                content.
            gated: Refuse the dataset's files, from now on, to requests without a token.
            granted: The tokens with access to a gated dataset; by default all.

        Raises:
            ValueError: A repo, config or split is not valid on the Hub.
        """
        repository = self._repository(repo)
        repository.gated = repository.gated or gated
        if granted is not None:
            repository.granted = frozenset(granted)
        return repository.write({data_path(config, split): json_lines(rows)}, revision)

    def add_directory(self, path: Path, revisions: Mapping[str, str] | None = None) -> dict[str, str]:
        """Add every dataset in a folder laid out as `<organisation>/<name>/<config>/<split>.jsonl`.

        Args:
            path: The folder; its files are JSON lines in UTF-8 and are served as they are.
            revisions: The revision (as in `add`) to give a dataset, by its `organisation/name`.

        Returns:
            The commit of each dataset.

        Raises:
            ValueError: The folder has no such file, or `revisions` names a dataset that it does not have.
        """
        datasets: dict[str, dict[str, bytes]] = {}
        for file in sorted(path.glob("*/*/*/*.jsonl")):
            organisation, name, config, _ = file.relative_to(path).parts
            files = datasets.setdefault(f"{organisation}/{name}", {})
            files[data_path(config, file.stem)] = file.read_bytes()
        if not datasets:
            raise ValueError(f"{path} has no file <organisation>/<name>/<config>/<split>.jsonl.")
        revisions = revisions or {}
        if unknown := revisions.keys() - datasets.keys():
            names = ", ".join(sorted(unknown))
            raise ValueError(f"{path} has no dataset {names}; it has {', '.join(datasets)}.")
        return {repo: self._repository(repo).write(files, revisions.get(repo)) for repo, files in datasets.items()}

    def add_file(self, path: str, data: bytes) -> str:
        """Serve bytes at a separate path and return the URL; GET (with a Range) and HEAD are supported."""
        self._files[path] = File(data)
        # With the host's name, because `datasets` considers every URL that begins with HF_ENDPOINT one of the Hub's.
        return f"{self.address.replace(HOST, 'localhost')}/files/{quote(path)}"

    def commit(self, repo: str, files: Mapping[str, bytes]) -> str:
        """Add files to a dataset unchanged, as an upload does, and return the commit."""
        return self._repository(repo).commit(files)

    def files(self, repo: str) -> dict[str, bytes]:
        """Return the files of a dataset's newest commit by path; empty if the dataset does not exist."""
        repository = self._repositories.get(repo, Repository())
        commit = repository.resolve(MAIN)
        return {path: file.data for path, file in repository.commits[commit].items()} if commit else {}

    def environment(self, cache: Path) -> dict[str, str]:
        """The environment variables that make a subprocess load from this server, with all caches in one folder.

        They include no token; a test that needs one sets `HF_TOKEN` in addition.
        """
        home = cache / "huggingface"
        bypass = ",".join(filter(None, [os.environ.get("NO_PROXY") or os.environ.get("no_proxy"), HOST, "localhost"]))
        folders = {
            "HF_HOME": home,
            "HF_HUB_CACHE": home / "hub",
            "HF_ASSETS_CACHE": home / "assets",
            "HF_DATASETS_CACHE": home / "datasets",
            "HF_MODULES_CACHE": home / "modules",
            "HF_TOKEN_PATH": home / "token",
            "OPENBENCH_DATA_DIR": cache / "openbench",
            "XDG_CACHE_HOME": cache / "xdg",  # inspect_ai caches datasets there
        }
        return {
            **{name: str(folder) for name, folder in folders.items()},
            "HF_ENDPOINT": self.endpoint,
            "HF_TOKEN": "",
            "HUGGING_FACE_HUB_TOKEN": "",
            "HF_HUB_OFFLINE": "0",
            "HF_DATASETS_OFFLINE": "0",
            "TRANSFORMERS_OFFLINE": "0",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_UPDATE_CHECK": "1",
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "NO_PROXY": bypass,
            "no_proxy": bypass,
        }

    def respond(self, request: Request) -> Response | None:
        """Answer a request of `huggingface_hub`, or for a plain file."""
        with self._lock:  # numbers and faults must follow the recorded order
            number = len(self._requests)
            self._requests.append((request.method, unquote(request.path)))
            fault = self._next_fault(request, number)
        return self._faulty(request, fault) if fault else self._ordinary(request)

    def _faulty(self, request: Request, fault: Fault) -> Response | None:
        match fault.kind:
            case FaultKind.STATUS:
                return answers.refusal(fault.code, None, f"Scripted fault: HTTP {fault.code}.", retry_after(fault))
            case FaultKind.DISCONNECT:
                return None
            case FaultKind.MALFORMED | FaultKind.NO_CHOICES:
                return Response(b'{"id": ')
            case FaultKind.SLOW | FaultKind.SILENT:
                return None if self.closing.wait(fault.seconds) else self._ordinary(request)
            case _:
                return broken(self._ordinary(request), fault)

    def _ordinary(self, request: Request) -> Response:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if token and self._tokens is not None and token not in self._tokens:
            return answers.refusal(401, None, "Invalid credentials in Authorization header")
        if match := _FILE.fullmatch(request.path):
            path = unquote(match["path"])
            file = self._files.get(path)
            return answers.content(request, path, file) if file else answers.not_found(None, "Not found")
        if (written := self._uploads.answer(request, self.address)) is not None:
            return written
        for pattern, answer in _ROUTES:
            if match := pattern.fullmatch(request.path):
                return self._at_revision(request, match, answer, token)
        return answers.not_found(None, "Not found")

    def _repository(self, repo: str) -> Repository:
        if not _DATASET.fullmatch(repo):
            raise ValueError(f"expected a dataset 'organisation/name', got {repo!r}.")
        return self._repositories.setdefault(repo, Repository())

    def _at_revision(self, request: Request, match: re.Match[str], answer: answers.Answer, token: str) -> Response:
        groups = {name: unquote(value) for name, value in match.groupdict().items() if value}
        repo = groups["repo"]
        repository = self._repositories.get(repo)
        if repository is None or (repository.private and not token):
            return answers.not_found("RepoNotFound", "Repository not found")
        revision = groups.get("revision", MAIN)
        commit = repository.resolve(revision)
        if commit is None:
            return answers.not_found("RevisionNotFound", f"Invalid rev id: {revision}")
        files, path = repository.commits[commit], groups.get("path", "")
        place = answers.Place(repo, repository.private, repository.gated, repository.granted, commit, files, path)
        return answer(request, place)


def _in_order(faults: Iterable[Fault | None]) -> Callable[[Request, int], Fault | None]:
    remaining = iter(faults)
    return lambda _request, _number: next(remaining, None)
