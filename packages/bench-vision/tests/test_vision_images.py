"""Images in messages: their places, formats and sizes."""

import io
from base64 import b64decode, b64encode

import pytest
from inspect_ai.model import ContentImage
from PIL import Image

from openbench.errors import UsageError
from openbench_vision.images import Images


def file(kind="PNG", size=(4, 3), mode="RGB"):
    buffer = io.BytesIO()
    Image.new(mode, size).save(buffer, format=kind)
    return buffer.getvalue()


def shown(message):
    return ["image" if isinstance(part, ContentImage) else part.text for part in message.content]


def opened(content):
    return Image.open(io.BytesIO(b64decode(content.image.partition(",")[2])))


@pytest.mark.parametrize("image", [file(), {"bytes": file(), "path": "a.png"}, b64encode(file()).decode()])
def test_an_image_is_passed_on_as_it_was_published(image):
    assert Images().content(image).image == f"data:image/png;base64,{b64encode(file()).decode()}"


@pytest.mark.parametrize("kind", ["JPEG", "GIF", "WEBP"])
def test_other_formats_that_providers_accept(kind):
    assert Images().content(file(kind)).image.startswith(f"data:image/{kind.lower()};base64,")


@pytest.mark.parametrize(("kind", "mode"), [("BMP", "RGB"), ("TIFF", "CMYK"), ("TIFF", "RGBA"), ("TIFF", "LA")])
def test_formats_that_providers_refuse_become_png(kind, mode):
    content = Images().content(file(kind, mode=mode))
    assert content.image.startswith("data:image/png;base64,")
    assert opened(content).mode == ("RGBA" if mode in {"RGBA", "LA"} else "RGB")


def test_large_images_are_scaled_down_on_request():
    images = Images(max_side=100)
    assert opened(images.content(file(size=(400, 200)))).size == (100, 50)
    assert opened(images.content(file("JPEG", size=(90, 100)))).size == (90, 100)
    assert images.content(file("JPEG", size=(400, 200))).image.startswith("data:image/jpeg;")


@pytest.mark.parametrize("max_side", [0, -1, 1.5, True, "large"])
def test_a_size_that_is_not_a_number_of_pixels(max_side):
    with pytest.raises(UsageError, match=r"max_side=.*: expected a whole number of pixels, 1 or more, or none"):
        Images(max_side)


@pytest.mark.parametrize("image", [None, {"path": "a.png"}, 3, b"no image", "bm8gaW1hZ2U=", file()[:40]])
def test_what_is_not_an_image(image):
    with pytest.raises(ValueError, match=r"image"):
        Images().content(image)


def test_equal_images_share_one_text():
    images = Images()
    assert images.content(file()).image is images.content({"bytes": file()}).image


def test_images_stand_where_their_markers_do():
    row = {"image_1": file(), "image_2": file(), "image_3": None}
    message = Images().interleaved("In <image 2>, unlike <image 1> and <image 2>:\n\nA) <image 1>\nB) none", row)
    assert shown(message) == [
        "In <image 2>",
        "image",
        ", unlike <image 1>",
        "image",
        " and <image 2>:\n\nA) <image 1>\nB) none",
    ]


def test_options_that_are_images_are_lines_of_the_text():
    row = {f"image_{number}": file() for number in (1, 2)}
    message = Images().interleaved("Which?\n\nA) <image 1>\nB) <image 2>", row)
    assert shown(message) == ["Which?\n\nA) <image 1>", "image", "B) <image 2>", "image"]
    assert message.text == "Which?\n\nA) <image 1>\nB) <image 2>"


def test_a_text_without_markers_follows_the_image():
    assert shown(Images().interleaved("What is it?", {"image_1": file()})) == ["image", "What is it?"]
    assert shown(Images().interleaved("What is it?", {"image_1": None})) == ["What is it?"]


def test_a_marker_without_an_image():
    with pytest.raises(ValueError, match=r"the text has <image 2>, but image_2 is empty"):
        Images().interleaved("<image 1> and <image 2>", {"image_1": file(), "image_2": None})
