"""The Hub's responses to uploads: a repository is created, files are sent, and a commit adds them.

Text is sent in the commit itself. Data files are sent before it through Git LFS
(https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md), in one part.
"""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Collection
from typing import Any

from openbench_testing.hub import answers
from openbench_testing.hub.repository import Repository
from openbench_testing.server import Request, Response

_REPO = r"(?P<repo>[^/]+/[^/]+)"
_DATA = (".parquet", ".arrow", ".bin", ".safetensors")


class Uploads:
    """Answers requests that write to repositories.

    Args:
        repositories: The repositories by name, to which created ones are added.
        writers: The tokens that may write; by default any token may.
    """

    def __init__(self, repositories: dict[str, Repository], writers: Collection[str] | None) -> None:
        self._repositories = repositories
        self._writers = writers
        self._objects: dict[str, bytes] = {}
        self._routes: tuple[tuple[str, re.Pattern[str], Callable[..., Response]], ...] = (
            ("POST", re.compile(r"/api/repos/create"), self._create),
            ("POST", re.compile(r"/api/validate-yaml"), self._validate),
            ("POST", re.compile(rf"/api/datasets/{_REPO}/preupload/main"), self._modes),
            ("POST", re.compile(rf"/datasets/{_REPO}\.git/info/lfs/objects/batch"), self._batch),
            ("PUT", re.compile(r"/lfs/(?P<oid>[0-9a-f]{64})"), self._object),
            ("POST", re.compile(rf"/api/datasets/{_REPO}/commit/main"), self._commit),
        )

    def answer(self, request: Request, address: str) -> Response | None:
        """Answer a request that writes; None for other requests."""
        for method, pattern, answer in self._routes:
            if request.method == method and (match := pattern.fullmatch(request.path)):
                refused = None if method == "PUT" else self._refused(request)  # its address authorises it
                return refused or answer(request, address, **match.groupdict())
        return None

    def _refused(self, request: Request) -> Response | None:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not token:
            return answers.refusal(401, None, "Invalid username or password.")
        if self._writers is not None and token not in self._writers:
            return answers.refusal(403, None, "You don't have the rights to write to this repository.")
        return None

    def _create(self, request: Request, address: str) -> Response:
        requested = json.loads(request.body)
        name = f"{requested['organization']}/{requested['name']}"
        url = {"url": f"{address}/datasets/{name}", "name": name}
        if name in self._repositories:
            conflict = answers.as_json({**url, "error": "You already created this dataset repo"})
            return Response(conflict.body, status=409)
        repository = Repository(private=requested.get("visibility") == "private")
        repository.commit({".gitattributes": b""})
        self._repositories[name] = repository
        return answers.as_json(url)

    def _validate(self, _request: Request, _address: str) -> Response:
        return answers.as_json({"errors": [], "warnings": []})

    def _modes(self, request: Request, _address: str, repo: str) -> Response:
        if repo not in self._repositories:
            return answers.not_found("RepoNotFound", "Repository not found")
        paths = [file["path"] for file in json.loads(request.body)["files"]]
        modes = [
            {"path": path, "uploadMode": "lfs" if path.endswith(_DATA) else "regular", "shouldIgnore": False}
            for path in paths
        ]
        return answers.as_json({"files": modes})

    def _batch(self, request: Request, address: str, repo: str) -> Response:  # noqa: ARG002 - of the route
        objects = json.loads(request.body)["objects"]
        for each in objects:
            if each["oid"] not in self._objects:
                each["actions"] = {"upload": {"href": f"{address}/lfs/{each['oid']}"}}
        return answers.as_json({"transfer": "basic", "objects": objects})

    def _object(self, request: Request, _address: str, oid: str) -> Response:
        if hashlib.sha256(request.body).hexdigest() != oid:
            return answers.refusal(400, None, "The content does not have this digest.")
        self._objects[oid] = request.body
        return Response()

    def _commit(self, request: Request, address: str, repo: str) -> Response:
        if repo not in self._repositories:
            return answers.not_found("RepoNotFound", "Repository not found")
        lines = [json.loads(line) for line in request.body.splitlines()]
        changes = dict(self._change(line["value"]) for line in lines if line["key"] in {"file", "lfsFile"})
        commit = self._repositories[repo].commit(changes)
        url = f"{address}/datasets/{repo}/commit/{commit}"
        return answers.as_json({"success": True, "commitOid": commit, "commitUrl": url})

    def _change(self, value: dict[str, Any]) -> tuple[str, bytes]:
        content = base64.b64decode(value["content"]) if "content" in value else self._objects[value["oid"]]
        return value["path"], content
