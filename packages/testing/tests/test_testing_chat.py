"""The chat server, used through the real OpenAI client and plain HTTP."""

import http.client
import json
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import openai
import pytest

from openbench_testing import ChatRequest, ChatServer, Fault, Reply

QUESTION = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Name a prime."},
    {"role": "assistant", "content": "2"},
    {"role": "user", "content": "Another one."},
]


def client(server, **options):
    return openai.OpenAI(base_url=server.base_url, **{"api_key": "sk-test", "max_retries": 0, **options})


def ask(server, messages=QUESTION, *, request=None, **options):
    with client(server, **options) as model:
        return model.chat.completions.create(model="small", messages=messages, **(request or {}))


def send(server, method, path, body=b"", headers=None):
    connection = http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=10)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def test_a_completion_is_what_openai_sends():
    with ChatServer("three is one") as server:
        completion = ask(server)
    assert completion.object == "chat.completion"
    assert completion.model == "small"
    assert completion.id == "chatcmpl-0"
    [choice] = completion.choices
    assert (choice.message.role, choice.message.content, choice.finish_reason) == (
        "assistant",
        "three is one",
        "stop",
    )
    assert completion.usage.to_dict() == {"prompt_tokens": 8, "completion_tokens": 3, "total_tokens": 11}


def test_every_request_is_recorded_in_order():
    with ChatServer() as server:
        ask(server, request={"temperature": 0.5})
        ask(server, [{"role": "user", "content": "Last."}])
        first, second = server.requests
    assert first.model == "small"
    assert first.messages == QUESTION
    assert first.body["temperature"] == 0.5
    assert first.headers["authorization"] == "Bearer sk-test"
    assert (first.system, first.prompt) == ("Be brief.", "Another one.")
    assert (second.system, second.prompt) == ("", "Last.")


def test_no_record_is_kept_on_request():
    with ChatServer(record=False) as server:
        ask(server)
        assert server.requests == []


def test_the_prompt_joins_the_text_parts_of_the_last_user_message():
    parts = [
        {"type": "text", "text": "What is "},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "this?"},
    ]
    with ChatServer(lambda request: request.prompt.upper()) as server:
        completion = ask(server, [{"role": "user", "content": parts}])
    assert completion.choices[0].message.content == "WHAT IS THIS?"


def test_a_prompt_without_user_message_is_empty():
    assert ChatRequest("m", [{"role": "assistant", "content": None}], {}, {}).prompt == ""


def test_a_reply_carries_a_finish_reason_and_tool_calls():
    call = {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    reply = Reply("", finish_reason="tool_calls", extra={"tool_calls": [call]})
    with ChatServer(reply) as server:
        whole = ask(server).choices[0]
        with client(server) as model:
            chunks = list(model.chat.completions.create(model="m", messages=QUESTION, stream=True))
    assert whole.finish_reason == "tool_calls"
    assert whole.message.tool_calls[0].to_dict() == call
    assert chunks[0].choices[0].delta.tool_calls[0].to_dict() == {"index": 0, **call}
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


def test_the_requested_number_of_choices():
    with ChatServer("one") as server:
        completion = ask(server, request={"n": 3})
    assert [(choice.index, choice.message.content) for choice in completion.choices] == [
        (0, "one"),
        (1, "one"),
        (2, "one"),
    ]


@pytest.mark.parametrize("text", ["", "one", "two  spaces and\na line"])
def test_a_stream_spells_the_answer(text):
    with ChatServer(text) as server, client(server) as model:
        options = {"include_usage": True}
        stream = model.chat.completions.create(model="m", messages=QUESTION, stream=True, stream_options=options)
        *chunks, last = stream
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == text
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert last.choices == []
    assert last.usage.completion_tokens == len(text.split())


def test_a_stream_has_usage_only_on_request():
    with ChatServer("a b") as server, client(server) as model:
        chunks = list(model.chat.completions.create(model="m", messages=QUESTION, stream=True))
    assert all(chunk.usage is None for chunk in chunks)


def test_one_model_is_listed():
    with ChatServer(model="tiny") as server, client(server) as model:
        assert [entry.id for entry in model.models.list()] == ["tiny"]


def test_an_unknown_path_is_404():
    with ChatServer() as server, client(server) as model, pytest.raises(openai.NotFoundError) as caught:
        model.embeddings.create(model="m", input="text")
    assert caught.value.body == {
        "message": "Invalid URL (POST /v1/embeddings)",
        "type": "invalid_request_error",
        "param": None,
        "code": None,
    }


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "We could not parse the JSON body of your request."),
        (b"\xff", "We could not parse the JSON body of your request."),
        (b"[]", "The body must be a JSON object, got a list."),
        (b'{"model": "m"}', "Missing or invalid required parameter: 'messages', a list of objects."),
        (b'{"messages": ["hi"]}', "Missing or invalid required parameter: 'messages', a list of objects."),
    ],
)
def test_an_invalid_body_gets_400(body, message):
    with ChatServer() as server:
        status, answer = send(server, "POST", "/v1/chat/completions", body)
        assert server.requests == []
    assert status == 400
    assert answer["error"]["message"] == message


def test_an_answer_function_that_raises_is_shown_and_not_retried():
    def answer(_request):
        raise KeyError("no such question")

    with ChatServer(answer) as server, pytest.raises(openai.BadRequestError) as caught:
        ask(server, max_retries=2)
    assert caught.value.body["message"] == "The answer function raised KeyError: 'no such question'"
    assert len(server.requests) == 1


def test_a_key_is_required():
    with ChatServer("in", faults=[None, Fault.status(500)], api_key="sk-right") as server:
        with pytest.raises(openai.AuthenticationError) as caught:
            ask(server, api_key="sk-wrong")
        with pytest.raises(openai.AuthenticationError), client(server, api_key="sk-wrong") as model:
            model.models.list()
        assert send(server, "POST", "/v1/chat/completions", b"{")[0] == 401
        assert ask(server, api_key="sk-right").choices[0].message.content == "in"
        assert [request.headers["authorization"] for request in server.requests] == [
            "Bearer sk-wrong",
            "Bearer sk-right",
        ]
    assert caught.value.body["message"] == "Incorrect API key provided."


def test_a_rate_limit_has_a_retry_after_header():
    with ChatServer(faults=[Fault.rate_limit(retry_after=2.5)]) as server:
        with pytest.raises(openai.RateLimitError) as caught:
            ask(server)
        assert ask(server).choices[0].message.content == "..."
    assert caught.value.response.headers["retry-after"] == "2.5"
    assert caught.value.body["code"] == "rate_limit_exceeded"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (400, openai.BadRequestError),
        (403, openai.PermissionDeniedError),
        (500, openai.InternalServerError),
        (529, openai.InternalServerError),
    ],
)
def test_any_error_status(code, error):
    with ChatServer(faults=[Fault.status(code)]) as server, pytest.raises(error) as caught:
        ask(server)
    assert caught.value.status_code == code
    assert caught.value.body["message"] == f"Scripted fault: HTTP {code}."


def test_a_status_fault_is_an_error():
    with pytest.raises(ValueError, match=r"^Fault\.status: 200 is not an HTTP error status; expected 400 to"):
        Fault.status(200)


@pytest.mark.parametrize("fault", [Fault.disconnect(), Fault.truncated()])
@pytest.mark.parametrize("stream", [False, True])
def test_a_broken_connection(fault, stream):
    with ChatServer("a long answer " * 100, faults=[fault]) as server, client(server) as model:
        with pytest.raises(openai.APIConnectionError):
            list(model.chat.completions.create(model="m", messages=QUESTION, stream=stream))
        assert model.chat.completions.create(model="m", messages=QUESTION).choices


def test_a_malformed_answer_is_not_json():
    with ChatServer(faults=[Fault.malformed()]) as server:
        with pytest.raises(json.JSONDecodeError):
            ask(server)
        assert ask(server).choices[0].message.content == "..."


def test_an_empty_answer_is_not_json():
    with ChatServer(faults=[Fault.empty()]) as server, pytest.raises(json.JSONDecodeError):
        ask(server)


def test_errors_that_arrive_with_status_200():
    with ChatServer("one two", faults=[Fault.error_in_choice(), Fault.error_in_body()]) as server:
        [choice] = ask(server).choices
        assert (choice.finish_reason, choice.message.content) == ("error", "one")
        assert choice.error["message"] == "Provider returned error"
        body = ask(server)
        assert (body.choices, body.error["code"]) == (None, 502)


def test_a_status_fault_has_the_given_error():
    fault = Fault.status(400, code="context_length_exceeded", message="Too long.")
    with ChatServer(faults=[fault]) as server, pytest.raises(openai.BadRequestError, match=r"Too long\.") as caught:
        ask(server)
    assert caught.value.code == "context_length_exceeded"


def test_a_slow_answer_arrives():
    with ChatServer("late", faults=[Fault.slow(0.3)]) as server:
        start = time.monotonic()
        assert ask(server).choices[0].message.content == "late"
    assert time.monotonic() - start >= 0.3


def test_a_client_may_lose_patience():
    with ChatServer(faults=[Fault.slow(60)]) as server, pytest.raises(openai.APITimeoutError):
        ask(server, timeout=0.2)


def test_closing_does_not_wait_for_a_slow_answer():
    with ThreadPoolExecutor() as pool:
        with ChatServer(faults=[Fault.slow(60)]) as server:
            answer = pool.submit(ask, server)
            while not server.requests:
                time.sleep(0.01)
            start = time.monotonic()
        assert time.monotonic() - start < 5
        with pytest.raises(openai.APIConnectionError):
            answer.result(timeout=10)


def test_closing_does_not_wait_for_an_idle_connection():
    with ChatServer() as server, client(server) as model:
        model.models.list()
        start = time.monotonic()
        server.__exit__(None, None, None)
        assert time.monotonic() - start < 2


def test_a_client_that_retries_gets_through():
    faults = [Fault.rate_limit(retry_after=0.01), Fault.disconnect(), None]
    with ChatServer("at last", faults=faults) as server:
        assert ask(server, max_retries=2).choices[0].message.content == "at last"
        assert len(server.requests) == 3


def test_faults_may_depend_on_the_request():
    def fault(request, number):
        return Fault.status(418) if "tea" in request.prompt and number > 0 else None

    with ChatServer(faults=fault) as server:
        assert ask(server, [{"role": "user", "content": "tea"}]).id == "chatcmpl-0"
        with pytest.raises(openai.APIStatusError, match="Scripted fault: HTTP 418"):
            ask(server, [{"role": "user", "content": "tea"}])
        assert ask(server, [{"role": "user", "content": "coffee"}]).id == "chatcmpl-2"


def test_many_clients_at_once():
    faults = [Fault.rate_limit(0.01) if number % 10 == 0 else None for number in range(200)]
    with ChatServer(lambda request: request.prompt[9:], faults=faults) as server:
        with client(server, max_retries=5) as model, ThreadPoolExecutor(32) as pool:

            def work(index):
                message = {"role": "user", "content": f"question {index}"}
                return model.chat.completions.create(model="m", messages=[message])

            answers = list(pool.map(work, range(200)))
        assert [answer.choices[0].message.content for answer in answers] == [str(i) for i in range(200)]
        assert len({answer.id for answer in answers}) == 200
        assert len(server.requests) == 220


def test_the_address_is_unknown_before_the_server_runs():
    with pytest.raises(RuntimeError) as caught:
        _ = ChatServer().base_url
    message = "ChatServer has no address until it runs: use `with ChatServer(...) as server`."
    assert str(caught.value) == message


def test_nobody_listens_once_the_server_has_closed():
    with ChatServer() as server:
        pass
    with pytest.raises(openai.APIConnectionError):
        ask(server)


@pytest.mark.parametrize("fault", [Fault.reset(), Fault.half_closed()])
@pytest.mark.parametrize("stream", [False, True])
def test_a_connection_that_breaks_in_the_middle(fault, stream):
    with ChatServer("a long answer " * 100, faults=[fault]) as server, client(server) as model:
        with pytest.raises(openai.APIConnectionError):
            list(model.chat.completions.create(model="m", messages=QUESTION, stream=stream))
        assert model.chat.completions.create(model="m", messages=QUESTION).choices


def test_a_stream_that_is_cut_in_good_order_has_no_finish_reason():
    with ChatServer("one two three four", faults=[Fault.cut_stream()] * 2) as server, client(server) as model:
        chunks = list(model.chat.completions.create(model="m", messages=QUESTION, stream=True))
        with pytest.raises(openai.APIConnectionError):  # what is no stream is truncated
            model.chat.completions.create(model="m", messages=QUESTION)
    assert [chunk.choices[0].delta.content for chunk in chunks] == ["", "one", " two", " three"]
    assert {chunk.choices[0].finish_reason for chunk in chunks} == {None}


def test_an_answer_without_choices():
    with ChatServer(faults=[Fault.no_choices()] * 2) as server, client(server) as model:
        assert model.chat.completions.create(model="m", messages=QUESTION).choices == []
        assert list(model.chat.completions.create(model="m", messages=QUESTION, stream=True)) == []


def test_a_web_page_in_place_of_an_answer():
    with ChatServer(faults=[Fault.wrong_type()]) as server, client(server) as model:
        raw = model.chat.completions.with_raw_response.create(model="m", messages=QUESTION)
    assert raw.headers["content-type"] == "text/html"
    assert raw.text.startswith("<html>")


def test_a_rate_limit_may_give_a_date():
    before = time.time()
    with ChatServer(faults=[Fault.rate_limit(2, as_date=True)]) as server, pytest.raises(openai.RateLimitError) as got:
        ask(server)
    until = parsedate_to_datetime(got.value.response.headers["retry-after"]).timestamp()
    assert before + 2 <= until <= time.time() + 3


def test_an_answer_that_drips_arrives_whole():
    with ChatServer("drop by drop", faults=[Fault.drip(0.4)]) as server:
        start = time.monotonic()
        assert ask(server).choices[0].message.content == "drop by drop"
    assert time.monotonic() - start >= 0.4


def test_a_silent_server_answers_nobody():
    with ChatServer(faults=[Fault.silent()]) as server, pytest.raises(openai.APITimeoutError):
        ask(server, timeout=0.2)


def test_a_server_that_is_away_comes_back_on_its_port():
    with ChatServer("back") as server:
        address = server.address
        with server.away(), pytest.raises(openai.APIConnectionError):
            ask(server)
        assert server.address == address
        assert ask(server).choices[0].message.content == "back"
        assert len(server.requests) == 1


def test_a_server_that_dies_takes_its_open_requests_along():
    with ChatServer(faults=[Fault.silent()]) as server, ThreadPoolExecutor() as pool:
        answer = pool.submit(ask, server)
        while not server.requests:
            time.sleep(0.01)
        with server.away(), pytest.raises(openai.APIConnectionError):
            answer.result(timeout=10)
        assert ask(server).choices[0].message.content == "..."
