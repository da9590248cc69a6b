"""Files are unpacked by their first bytes, whatever their names, and a damaged stream is named with its line."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from graph_sampler.loaders.text_lines import read_lines
from state.errors import GraphFormatError

TEXT = "".join(f"line {number}\n" for number in range(20_000)).encode()


def zstandard(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


PACKINGS: list[tuple[str, Callable[[bytes], bytes]]] = [("gzip", gzip.compress), ("bzip2", bz2.compress), ("Zstandard", zstandard)]


@pytest.mark.parametrize("pack", [pack for _, pack in PACKINGS])
def test_a_packed_file_of_several_parts_is_read_under_any_name(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "facts.txt"
    path.write_bytes(pack(TEXT[:100]) + pack(TEXT[100:]))
    assert "".join(f"{line}\n" for line, _ in read_lines(path)).encode() == TEXT


@pytest.mark.parametrize(("name", "pack"), PACKINGS)
def test_a_stream_that_is_cut_short_is_named(name: str, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "facts.gz"
    packed = pack(TEXT)
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(GraphFormatError, match=rf"line \d+: the {name} stream is cut short"):
        list(read_lines(path))


def test_a_damaged_stream_is_named(tmp_path: Path) -> None:
    path = tmp_path / "facts"
    packed = bytearray(bz2.compress(TEXT))
    packed[200:220] = bytes(20)
    path.write_bytes(packed)
    with pytest.raises(GraphFormatError, match="the bzip2 stream is damaged"):
        list(read_lines(path))
