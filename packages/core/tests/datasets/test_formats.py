"""Compressed rows are read in pieces, up to a limit."""

import io

from openbench.datasets.formats import pack, read_at_most, unpack


class Pieces(io.BytesIO):
    """A stream that refuses to be read at once, as one read of a huge size would allocate it."""

    def read(self, size=-1, /):
        assert 0 < size <= 1 << 24
        return super().read(size)


def test_a_stream_is_read_in_pieces_up_to_a_limit():
    data = bytes(20_000_000)
    assert read_at_most(Pieces(data), 1 << 50) == data
    assert read_at_most(Pieces(data), 17_000_000) == data[:17_000_000]
    assert read_at_most(Pieces(b""), 5) == b""


def test_images_come_back_as_they_were():
    rows = [{"image": {"bytes": bytes(range(256)), "path": None}, "options": "['a']"}]
    assert unpack(pack(rows)) == rows
