"""Rows that were published with Weave, from a server of our own that speaks as much of its protocol as they need."""

import json
import os
import subprocess
import sys

import pytest

from openbench_testing.server import LocalServer, Response

pytest.importorskip("weave")

URI = "weave:///acme/quiz/object/Questions:v3"
ROWS = [
    {
        "id": "q1",
        "question": "2 + 2?",
        "options": ["3", "4"],
        "answer": 1,
        "info": {"tags": ["sum", None], "hard": False},
    },
    *({"id": f"q{n}", "question": f"{n}?", "options": ["x"], "answer": 0, "info": {}} for n in range(2, 251)),
]
SETTINGS = {"WANDB_API_KEY": "a" * 40, "WEAVE_USE_SERVER_CACHE": "false"}
DATASET = {"_type": "Dataset", "_class_name": "Dataset", "_bases": ["Object", "BaseModel"], "name": "Questions"}


class WeaveServer(LocalServer):
    """Knows one object, whose rows are a table that is read in pages."""

    def __init__(self, value):
        super().__init__()
        self.value = value
        self.asked = []

    def respond(self, request):
        self.asked.append(request.path)
        asked = json.loads(request.body or b"{}")
        match request.path:
            case "/server_info":
                answer = {"min_required_weave_python_version": "0.0.1"}
            case "/graphql":
                answer = {"data": {"viewer": {"username": "me", "defaultEntity": {"name": "acme"}}}}
            case "/obj/read" if (asked["object_id"], asked["digest"]) == ("Questions", "v3"):
                answer = {"obj": self._object()}
            case "/table/query":
                page = ROWS[asked["offset"] or 0 :][: asked["limit"]]
                answer = {"rows": [{"digest": f"r{n}", "val": row, "original_index": n} for n, row in enumerate(page)]}
            case "/table/query_stats":
                answer = {"count": len(ROWS)}
            case _:
                return Response(b'{"reason": "there is none"}', 404)
        return Response(json.dumps(answer).encode())

    def _object(self):
        return {
            "project_id": "acme/quiz",
            "object_id": "Questions",
            "created_at": "2025-01-01T00:00:00Z",
            "deleted_at": None,
            "digest": "D" * 43,
            "version_index": 3,
            "is_latest": 1,
            "kind": "object",
            "base_object_class": "Dataset",
            "leaf_object_class": "Dataset",
            "val": self.value,
        }


# Weave leaves connections open when it is done, so that it works in a process of its own.
FETCH = """
import json, sys
from openbench.errors import DataError
from openbench_authoring.declarative.weave import published_rows
try:
    rows = published_rows(sys.argv[1])
except DataError as error:
    rows = str(error)
else:
    assert {type(value) for row in rows for value in row.values()} <= {str, int, list, dict}
print("answer:" + json.dumps(rows))
"""


@pytest.fixture
def fetch(tmp_path):
    """Publish a value, and fetch the rows of a URI: what they are, or why not, and what the server was asked."""

    def run(value, uri=URI):
        with WeaveServer(value) as server:
            places = dict.fromkeys(("WF_TRACE_SERVER_URL", "WANDB_BASE_URL"), server.address)
            done = subprocess.run(
                [sys.executable, "-c", FETCH, uri],
                cwd=tmp_path,
                env={**os.environ, **places, **SETTINGS, "HOME": str(tmp_path)},
                capture_output=True,
                text=True,
                check=True,
                timeout=100,
            )
        return json.loads(done.stdout.rpartition("answer:")[2]), server.asked

    return run


def test_rows_come_whole_and_plain_and_nothing_is_traced(fetch):
    rows, asked = fetch({**DATASET, "description": None, "rows": f"weave:///acme/quiz/table/{'T' * 43}"})
    assert rows == ROWS
    assert asked.count("/table/query") > 1
    assert not [path for path in asked if "call" in path]


def test_a_published_list_is_a_dataset_as_well(fetch):
    assert fetch([{"question": "1?"}, {"question": "2?"}])[0] == [{"question": "1?"}, {"question": "2?"}]


def test_what_is_no_list_of_tables_is_refused(fetch):
    assert fetch([{"question": "1?"}, "2?"])[0] == f"row 2 of {URI} is a BoxedStr, where a table is expected"


def test_a_dataset_that_is_not_there_is_named(fetch):
    uri = "weave:///acme/quiz/object/Others:v3"
    assert fetch([], uri)[0].startswith(f"{uri} cannot be read: ")
