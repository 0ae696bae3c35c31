"""Texts and images."""

import io
import json

import pytest
from PIL import Image

from openbench_compat.utils import image, text


@pytest.mark.parametrize(
    ("response", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Sure:\n```json\n{"a": {"b": [1, "}"]}}\n```\nDone.', {"a": {"b": [1, "}"]}}),
        ("```\n{}\n```", {}),
        ('It is {not json} but {"a": "{"} and {"b": 2}', {"a": "{"}),
        ('```python\nx = 1\n``` {"a": 1}', {"a": 1}),
        ("none", {}),
        ("[1, 2]", {}),
        ("{" * 100_000, {}),
    ],
)
def test_json_in_a_response(response, found):
    assert text.parse_json_from_response(response) == found


@pytest.mark.parametrize(
    ("response", "found"),
    [
        ("Answer: A\nConfidence: 85%", 85),
        ("confidence: 0.85", 85),
        ("Confidence score: .5", 50),
        ("I am 0.95 confident in this", 95),
        ("80% confident", 80),
        ("Confidence: 1%", 1),
        ("Confidence: 1", 100),
        ("Confidence: 250%", 100),
        ("My confidence is 70", 70),
        ("Confidence: 10%\nNo: Confidence: 20%", 20),
        ("none", 100),
    ],
)
def test_confidence(response, found):
    assert text.extract_confidence_score(response) == found


def test_confidence_that_is_not_given():
    assert text.extract_confidence_score("none", default=50) == 50


@pytest.mark.parametrize(
    ("response", "prefix", "found"),
    [
        ("It is 3. Answer: 42", "Answer", "42"),
        ("Answer: 1,234.5 dollars.", "Answer", "1234.5"),
        ("Answer: 5.", "Answer", "5"),
        ("答え: 3.14", "答え", "3.14"),
        ("Answer: none", "Answer", ""),
        ("42", "Answer", ""),
    ],
)
def test_the_number_behind_a_prefix(response, prefix, found):
    assert text.parse_numeric_answer(response, prefix) == found


def test_small_helpers():
    numbers = {"1,234": "1234", "3.1400": "3.14", "5.0": "5", "42.": "42", "100": "100"}
    assert {number: text.normalize_number(number) for number in numbers} == numbers
    assert text.strip_md_latex(r"**Answer**: $\boxed{\text{B}}$") == "Answer: B"
    assert [text.normalize_mcq_answer(letter) for letter in ("\u0623", "\u09a2", "\uff22", " C ")] == [
        "A",
        "D",
        "B",
        "C",
    ]
    assert text.get_fuzzy_suggestions("mmul", ["mmlu", "gpqa", "MMLU-Pro"]) == ["mmlu"]
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    read = text.str_to_chat_messages(json.dumps(messages))
    assert [(each.role, each.text) for each in read] == [("system", "Be brief."), ("user", "Hi")]
    assert text.format_chat_messages(read) == text.format_chat_messages(messages) == "system: Be brief.\n\nuser: Hi"
    with pytest.raises(ValueError, match=r"^the role 'robot' is unknown\. Known: system, developer, user, "):
        text.str_to_chat_messages('[{"role": "robot", "content": ""}]')


def picture(kind="PNG", mode="RGBA", size=(40, 20)):
    buffer = io.BytesIO()
    Image.effect_noise(size, 90).convert(mode).save(buffer, kind)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("kind", "mode", "mime"),
    [
        ("PNG", "RGBA", "image/png"),
        ("JPEG", "RGB", "image/jpeg"),
        ("GIF", "P", "image/gif"),
        ("BMP", "RGB", "image/bmp"),
        ("TIFF", "RGB", "image/tiff"),
        ("WEBP", "RGB", "image/webp"),
    ],
)
def test_the_kind_of_an_image(kind, mode, mime):
    data = picture(kind, mode)
    assert image.detect_image_mime_type(data) == mime
    assert image.image_bytes_to_data_uri(data).startswith(f"data:{mime};base64,")


def test_the_kind_of_what_is_none():
    assert image.detect_image_mime_type(b"RIFF....WAVE") == image.detect_image_mime_type(b"") == "image/png"


def test_the_bytes_of_an_image():
    data = picture()
    opened = Image.open(io.BytesIO(data))
    assert image.extract_image_bytes(data) == image.extract_image_bytes({"bytes": data, "path": None}) == data
    assert Image.open(io.BytesIO(image.extract_image_bytes(opened))).tobytes() == opened.tobytes()
    for wrong in ("picture.png", {"path": "picture.png"}, None):
        with pytest.raises(
            ValueError, match=r"^the image is .*: expected bytes, a mapping with 'bytes' or a Pillow image"
        ):
            image.extract_image_bytes(wrong)


@pytest.mark.parametrize("mode", ["RGBA", "P", "L", "1", "LA", "RGB"])
def test_a_large_image_becomes_a_smaller_jpeg(mode):
    data = picture(mode=mode, size=(400, 300))
    small = image.compress_image(data, max_size_mb=0, quality=10, max_dimension=40)
    opened = Image.open(io.BytesIO(small))
    assert (opened.format, opened.size) == ("JPEG", (40, 30))
    assert image.compress_image(data) is data
    assert image.compress_image(b"not an image", max_size_mb=0) == b"not an image"


def test_prompts_of_multiple_choice():
    assert text.SIMPLE_EVALS_SYSTEM_MESSAGE == "You are a helpful assistant."
    assert text.ANSWER_PATTERN_MULTIPLE_CHOICE == r"(?i)Answer[ \t]*:[ \t]*\$?([A-D])\$?"
    filled = text.MULTIPLE_CHOICE_PROMPT_TEMPLATE.format(
        prompt="{q}", option_a="w", option_b="x", option_c="y", option_d="z"
    )
    head, _, question = filled.partition("\n\n")
    assert head == (
        "Answer the following multiple choice question. The last line of your response should be of the following "
        "format: 'Answer: $LETTER' (without quotes) where LETTER is one of ABCD."
    )
    assert question == "{q}\n\nA) w\nB) x\nC) y\nD) z"
