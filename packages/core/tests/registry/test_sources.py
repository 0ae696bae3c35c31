"""A task function's parameters, read from its source and never by importing it."""

from dataclasses import astuple

import pytest

from openbench.registry.sources import read_signature


@pytest.fixture
def read(tmp_path):
    """Read the signature of `quiz` in a source."""

    def signature(source, function="quiz"):
        path = tmp_path / "task.py"
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        return read_signature(path, function)

    return signature


@pytest.fixture
def read_module(tmp_path, monkeypatch):
    """Read the signature of `quiz` in a module that is made of files."""
    monkeypatch.syspath_prepend(tmp_path)

    def signature(module, files):
        for name, source in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source, "utf-8")
        return read_signature(module, "quiz")

    return signature


def parameters(signature):
    """Name, annotation and default of each parameter."""
    return [astuple(parameter) for parameter in signature.parameters.values()]


def test_all_kinds_of_parameters(read):
    signature = read('''
@task
def quiz(a, b: int, /, c: str = "x", *rest, d, e: list[str] | None = None, **more) -> Task:
    """Ask questions.

    And more.
    """
''')
    assert parameters(signature) == [
        ("a", None, None),
        ("b", "int", None),
        ("c", "str", "'x'"),
        ("d", None, None),
        ("e", "list[str] | None", "None"),
    ]
    assert signature.open
    assert signature.accepts("anything")


def test_a_function_without_parameters_takes_none(read):
    signature = read("def quiz(): ...")
    assert (parameters(signature), signature.open) == ([], False)
    assert not signature.accepts("split")


def test_only_its_own_parameters_are_taken(read):
    signature = read("def quiz(split, *, top=3): ...")
    assert [signature.accepts(name) for name in ("split", "top", "Split", "splits", "")] == [True, True, *[False] * 3]


def test_defaults_are_as_the_source_writes_them(read):
    signature = read("def quiz(a=MODEL, b=-1, c=1e-3, d=(1, 2), e=f(x)[0], f='é\\n', g=lambda: 0, h={'k': [1]}): ...")
    assert [default for *_, default in parameters(signature)] == [
        "MODEL",
        "-1",
        "0.001",
        "(1, 2)",
        "f(x)[0]",
        "'é\\n'",
        "lambda: 0",
        "{'k': [1]}",
    ]


def test_an_async_function_and_annotations_as_text(read):
    assert parameters(read("async def quiz(a: 'Late' = None): ...")) == [("a", "'Late'", "None")]


def test_the_last_definition_counts_as_it_does_in_python(read):
    assert parameters(read("def quiz(old): ...\n\n@task\ndef quiz(new): ...")) == [("new", None, None)]


@pytest.mark.parametrize(
    "source",
    [
        "def other(): ...",
        "quiz = make_task('quiz')",
        "quiz = lambda split='test': None",
        "from elsewhere import quiz",
        "class quiz: ...",
        "class Holder:\n    def quiz(self): ...",
        "if True:\n    def quiz(): ...",
        "def quiz(:",
        "def quiz():\n  pass\n pass",
        b"def quiz(): ...\x00",
        b"# coding: nonsense\ndef quiz(): ...",
        b"x = '\xff'\ndef quiz(): ...",
        b"",
    ],
)
def test_what_cannot_be_read_is_not_known(read, source):
    assert read(source) is None


def test_sources_in_other_encodings_are_read(read):
    latin = "# coding: latin-1\ndef quiz(a='\xe9'): ...".encode("latin-1")
    assert parameters(read(latin)) == [("a", None, "'é'")]
    assert parameters(read(b"\xef\xbb\xbfdef quiz(a): ...")) == [("a", None, None)]


def test_a_file_that_is_not_there_is_not_known(tmp_path):
    assert read_signature(tmp_path / "nothing.py", "quiz") is None
    assert read_signature(tmp_path, "quiz") is None


@pytest.mark.parametrize("module", ["no_such_module", "no_such.module", "json.no_such", "sys", "math", "", ".", "a..b"])
def test_a_module_that_is_not_there_or_not_python_is_not_known(module):
    assert read_signature(module, "quiz") is None


def test_neither_the_module_nor_its_parents_are_imported(read_module):
    explodes = "raise SystemExit('imported')\n"
    files = {
        "boom/__init__.py": explodes,
        "boom/inner/__init__.py": explodes,
        "boom/inner/task.py": f"{explodes}def quiz(split='test'): ...",
    }
    assert parameters(read_module("boom.inner.task", files)) == [("split", None, "'test'")]


def test_a_package_is_its_init_file(read_module):
    assert parameters(read_module("initial", {"initial/__init__.py": "def quiz(a): ..."})) == [("a", None, None)]


def test_namespace_packages_are_walked_at_any_depth(read_module):
    files = {"spacious/deep/deeper/task.py": "def quiz(a): ..."}
    assert parameters(read_module("spacious.deep.deeper.task", files)) == [("a", None, None)]
