"""Compressed rows are read in pieces, up to a limit."""

import io

import pytest

from openbench.datasets.formats import InexactError, most_unpacked, pack, read_unpacked, unpack


class Pieces(io.BytesIO):
    """A stream that refuses to be read at once, as one read of a huge size would allocate it."""

    def read(self, size=-1, /):
        assert 0 < size <= 1 << 24
        return super().read(size)


def test_a_stream_is_read_in_pieces_up_to_a_limit():
    data = bytes(most_unpacked(0))
    assert read_unpacked(Pieces(data), 0) == data
    assert read_unpacked(Pieces(b""), 5) == b""
    with pytest.raises(InexactError, match=r"^its 0 bytes become more than 67,108,864$"):
        read_unpacked(Pieces(data + b"x"), 0)


def test_images_come_back_as_they_were():
    rows = [{"image": {"bytes": bytes(range(256)), "path": None}, "options": "['a']"}]
    assert unpack(pack(rows)) == rows
