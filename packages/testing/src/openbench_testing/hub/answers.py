"""The Hub's responses, one function for each route."""

import json
import mimetypes
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from openbench_testing.hub.repository import File
from openbench_testing.server import Request, Response

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a request: a commit of a dataset, and a path in it (empty for its root)."""

    repo: str
    private: bool
    gated: bool
    granted: frozenset[str] | None
    commit: str
    files: Mapping[str, File]
    path: str


Answer = Callable[[Request, Place], Response]


def resolve(request: Request, place: Place) -> Response:
    """The content of one file."""
    commit = {"X-Repo-Commit": place.commit}
    refused = _gate(request, place)
    if refused:
        return refused
    if place.path not in place.files:
        return refusal(404, "EntryNotFound", "Entry not found", commit)
    return content(request, place.path, place.files[place.path], commit)


def auth_check(request: Request, place: Place) -> Response:
    """Check whether the requester has access to the dataset."""
    return _gate(request, place) or Response(b"{}")


def _gate(request: Request, place: Place) -> Response | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    restricted = f"Access to dataset {place.repo} is restricted"
    if not place.gated:
        return None
    if scheme != "Bearer":
        return refusal(401, "GatedRepo", f"{restricted}. You must be authenticated to access it.")
    if place.granted is not None and token not in place.granted:
        return refusal(403, "GatedRepo", f"{restricted} and you are not in the authorized list.")
    return None


def info(_request: Request, place: Place) -> Response:
    """The dataset's information and the files of its commit."""
    return as_json(
        {
            "id": place.repo,
            "sha": place.commit,
            "private": place.private,
            "gated": "auto" if place.gated else False,
            "disabled": False,
            "tags": [],
            "downloads": 0,
            "likes": 0,
            "siblings": [{"rfilename": path} for path in sorted(place.files)],
        }
    )


def tree(request: Request, place: Place) -> Response:
    """The files and folders of one folder, or of everything below it."""
    prefix = f"{place.path}/" if place.path else ""
    below = [path for path in _paths(place) if path.startswith(prefix)]
    if not below:
        return not_found("EntryNotFound", f"{place.path} does not exist on {place.commit}")
    if parse_qs(request.query).get("recursive", ["false"])[0].lower() not in {"true", "1"}:
        below = [path for path in below if "/" not in path.removeprefix(prefix)]
    return as_json([_entry(place, path) for path in below])


def paths_info(request: Request, place: Place) -> Response:
    """The types of the given paths; those that do not exist are omitted."""
    wanted = parse_qs(request.body.decode()).get("paths", [])
    paths = _paths(place)
    return as_json([_entry(place, path) for path in wanted if path in paths])


def content(request: Request, path: str, file: File, headers: Mapping[str, str] | None = None) -> Response:
    """A file, or the requested range of its bytes."""
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    every = {"ETag": f'"{file.oid}"', "Accept-Ranges": "bytes", **(headers or {})}
    requested = _RANGE.fullmatch(request.headers.get("range", ""))
    if request.method != "GET" or requested is None or not any(requested.groups()):
        return Response(file.data, content_type=kind, headers=every)
    size = len(file.data)
    if requested[1]:
        start, end = int(requested[1]), min(int(requested[2] or size), size - 1)
    else:  # a suffix of this many bytes
        start, end = max(0, size - int(requested[2])), size - 1
    if start > end:
        return Response(status=416, headers={**every, "Content-Range": f"bytes */{size}"})
    place = {**every, "Content-Range": f"bytes {start}-{end}/{size}"}
    return Response(file.data[start : end + 1], status=206, content_type=kind, headers=place)


def as_json(value: Any) -> Response:
    """A value as a JSON body."""
    return Response(json.dumps(value).encode())


def not_found(code: str | None, message: str) -> Response:
    """A 404, with the code by which `huggingface_hub` identifies what is missing."""
    return refusal(404, code, message)


def refusal(status: int, code: str | None, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """An error, with the code that identifies it to `huggingface_hub`."""
    reasons = {"X-Error-Code": code, "X-Error-Message": message} if code else {}
    body = json.dumps({"error": message}).encode()
    return Response(body, status=status, headers={**reasons, **(headers or {})})


def _paths(place: Place) -> list[str]:
    folders = {path.rpartition("/")[0] for path in place.files} - {""}
    return sorted(folders | place.files.keys())


def _entry(place: Place, path: str) -> dict[str, Any]:
    if file := place.files.get(path):
        return {"type": "file", "path": path, "oid": file.oid, "size": len(file.data)}
    return {"type": "directory", "path": path, "oid": place.commit, "size": 0}
