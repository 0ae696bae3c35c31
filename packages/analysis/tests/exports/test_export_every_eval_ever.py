"""`bench export every-eval-ever`: documents that the published schema accepts.

The schema is read from the folder `EVERY_EVAL_EVER_SCHEMAS` (`every_eval_ever/schemas` of
https://github.com/evaleval/every_eval_ever), if that is set.
"""

import hashlib
import json
import os
import re
from pathlib import Path

import jsonschema
import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool
from inspect_ai.tool import ToolCall

from openbench_analysis.exports.every_eval_ever import model_id_of, write_every_eval_ever
from openbench_analysis.runs import read_run

PLACE = re.compile(
    r"data/[^/]+/[^/]+/[^/]+/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}_samples\.jsonl"
)
AGGREGATE = {
    *("schema_version", "evaluation_id", "evaluation_timestamp", "retrieved_timestamp", "source_metadata"),
    *("eval_library", "model_info", "evaluation_results", "detailed_evaluation_results"),
}
INSTANCE = {
    *("schema_version", "evaluation_id", "model_id", "evaluation_name", "evaluation_result_id", "sample_id"),
    *("sample_hash", "interaction_type", "input", "output", "messages", "answer_attribution", "evaluation"),
    *("token_usage", "performance", "error", "metadata"),
}


def write(path, folder, **options):
    """Write a log's documents, check what connects them, and return them."""
    files = write_every_eval_ever(
        read_run(str(path)), folder, organization="Acme", relationship="third_party", **options
    )
    aggregate = json.loads(files[0].read_text("utf-8"))
    lines = [json.loads(line) for line in files[1].read_text("utf-8").splitlines()]
    detail = aggregate["detailed_evaluation_results"]
    assert folder / detail["file_path"] == files[1]
    assert files[0].stem == files[1].name.removesuffix("_samples.jsonl")
    assert PLACE.fullmatch(detail["file_path"])
    assert detail["checksum"] == hashlib.sha256(files[1].read_bytes()).hexdigest()
    assert detail["total_rows"] == len(lines)
    (result,) = aggregate["evaluation_results"]
    for line in lines:
        assert line["evaluation_id"] == aggregate["evaluation_id"]
        assert line["model_id"] == aggregate["model_info"]["id"]
        assert line["evaluation_result_id"] == result["evaluation_result_id"]
    assert (set(aggregate), {*AGGREGATE} - set(aggregate)) == (AGGREGATE, set())
    assert all(set(line) == INSTANCE for line in lines)
    validate(aggregate, lines)
    return aggregate, lines


def validate(aggregate, lines):
    folder = os.environ.get("EVERY_EVAL_EVER_SCHEMAS")
    for name, documents in (("eval", [aggregate]), ("instance_level_eval", lines)) if folder else ():
        schema = json.loads((Path(folder) / f"{name}.schema.json").read_text("utf-8"))
        for document in documents:
            jsonschema.Draft7Validator(schema).validate(document)


def test_a_log_of_ours(ours, tmp_path):
    aggregate, lines = write(ours, tmp_path)
    run = read_run(str(ours))
    assert aggregate["schema_version"] == "0.3.0"
    assert aggregate["source_metadata"]["source_organization_name"] == "Acme"
    assert (aggregate["model_info"]["id"], aggregate["model_info"]["inference_platform"]) == ("local/m", "openai-api")
    assert aggregate["eval_library"]["name"] == "openbench"
    assert aggregate["eval_library"]["additional_details"]["rule"] == "path"
    (result,) = aggregate["evaluation_results"]
    assert result["score_details"]["score"] == run.summary.score
    assert result["score_details"]["uncertainty"] == {
        "num_samples": 6,
        "standard_error": {"value": run.summary.stderr, "method": "analytic"},
    }
    metric = result["metric_config"]
    assert (metric["metric_id"], metric["min_score"], metric["max_score"]) == ("accuracy", 0, 1)
    assert metric["lower_is_better"] is False
    assert result["source_data"]["additional_details"]["dataset_sha256"] == run.provenance.dataset["sha256"]
    assert result["generation_config"]["generation_args"]["temperature"] == 0.5
    assert len(lines) == 12
    assert [line["evaluation"]["is_correct"] for line in lines].count(True) == 4
    first = lines[0]
    assert (first["interaction_type"], first["output"], first["messages"]) == (
        "single_turn",
        {"raw": ["Answer: A"]},
        None,
    )
    assert first["answer_attribution"][0]["extracted_value"] == "A"
    shown = {name: first["input"][name] for name in ("raw", "reference")}
    text = json.dumps(shown, sort_keys=True, separators=(",", ":"))
    assert first["sample_hash"] == hashlib.sha256(text.encode()).hexdigest()


def test_a_log_of_another_program_without_secrets(theirs, tmp_path):
    aggregate, lines = write(theirs, tmp_path, model_id="Acme/Small")
    assert aggregate["eval_library"]["name"] == "inspect_ai"
    assert aggregate["model_info"]["developer"] == "Acme"
    assert lines[1]["input"]["reference"] == ["Rome", "Roma"]
    assert lines[1]["output"] == {"raw": ["My key is [redacted]"]}
    assert lines[0]["metadata"]["api_key"] == "[redacted]"
    assert lines[0]["token_usage"] == {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}


def test_a_sample_with_tools_keeps_its_messages_and_an_unscored_one_is_counted(theirs, tmp_path):
    log = read_eval_log(str(theirs))
    call = ToolCall(id="1", function="search", arguments={"query": "France", "most": 3})
    tool = [ChatMessageAssistant(content="", tool_calls=[call]), ChatMessageTool(content="Paris", tool_call_id="1")]
    log.samples[0].messages[1:1] = tool
    log.samples[1].scores["includes"].value = float("nan")
    write_eval_log(log, str(tmp_path / "agent.json"))
    aggregate, (line,) = write(tmp_path / "agent.json", tmp_path)
    assert (line["interaction_type"], line["output"]) == ("agentic", None)
    assert [message["role"] for message in line["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert line["messages"][1]["tool_calls"] == [
        {"id": "1", "name": "search", "arguments": {"query": "France", "most": "3"}}
    ]
    assert line["messages"][2]["tool_call_id"] == ["1"]
    assert (line["evaluation"]["num_turns"], line["evaluation"]["tool_calls_count"]) == (2, 1)
    assert aggregate["evaluation_results"][0]["score_details"]["details"]["unscored"] == "1"


def test_the_same_log_gives_the_same_files(ours, tmp_path):
    options = {"organization": "Acme", "relationship": "other"}
    first, second = (write_every_eval_ever(read_run(str(ours)), tmp_path / name, **options) for name in "ab")
    assert [path.name for path in first] == [path.name for path in second]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


@pytest.mark.parametrize(
    ("name", "id_"),
    [
        ("openai/gpt-4.1", "openai/gpt-4.1"),
        ("openrouter/meta-llama/llama-3.1-8b", "meta-llama/llama-3.1-8b"),
        ("openai-api/together/org/model", "org/model"),
        ("none", "none"),
    ],
)
def test_the_id_of_a_model(name, id_):
    assert model_id_of(name) == id_


def test_the_command(bench, ours, tmp_path):
    export = ["export", "every-eval-ever", ours, "-o", ".", "--organization", "Acme"]
    done = bench(*export, cwd=tmp_path)
    assert done.code == 0, done.err
    assert sorted(done.out.split()) == sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.json*"))
    done = bench(*export, "--model-id", "alone", cwd=tmp_path)
    assert (done.code, done.err) == (
        2,
        "bench: alone: expected a model as developer/model. Give it: --model-id DEVELOPER/alone\n",
    )
