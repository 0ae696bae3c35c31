"""`bench cache`: the cache of model responses, which `bench eval --cache` fills."""

from typer.testing import CliRunner

from openbench_logs.cache_command import command as cache_command
from openbench_testing import ChatServer


def cache(*arguments, typed=None):
    """Run `bench cache` here, since this process has imported inspect already: exit code and output."""
    result = CliRunner().invoke(cache_command, arguments, input=typed)
    return result.exit_code, result.output


def test_the_cache_of_responses_is_shown_and_cleared(bench, quiz, tmp_path, monkeypatch):
    own = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    monkeypatch.setenv("XDG_CACHE_HOME", own["XDG_CACHE_HOME"])
    told = bench("cache", "info", "--json", cwd=quiz, **own).json()
    assert (told["bytes"], told["expired"], told["path"].startswith(own["XDG_CACHE_HOME"])) == (0, 0, True)
    assert cache("ls") == (0, "")
    with ChatServer("Answer: A") as server:
        for _ in range(2):
            options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--cache"]
            assert bench("eval", "quiz.py", *options, cwd=quiz, **own).code == 0
        assert len(server.requests) == 6
    model, size = cache("ls")[1].split()
    assert (model.rpartition("/")[2], int(size) > 0) == ("m", True)
    info = f"path     {told['path']}\nbytes    {size}\nexpired  0\n"
    assert cache("info") == (0, info)
    assert cache("clear", typed="n\n") == (0, "Remove all responses? [y/N]: n\n")
    assert cache("clear", "-y", "--expired") == (0, "Removed expired responses.\n")
    assert cache("clear", "-y", "--model", "other") == (0, "Removed responses of other.\n")
    assert cache("info") == (0, info)
    assert cache("clear", "--model", model, typed="y\n")[1].endswith(f"Removed responses of {model}.\n")
    assert cache("ls") == (0, "")
    assert cache("clear", "--yes") == (0, "Removed all responses.\n")


def test_clearing_without_an_answer_is_interrupted(bench, tmp_path):
    assert bench("cache", "clear", cwd=tmp_path).code == 130
