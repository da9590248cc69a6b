"""Files are unpacked by their first bytes, whatever their names, and a damaged stream is named with its line."""

from __future__ import annotations

import bz2
import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from graph_sampler.load import load_graph
from graph_sampler.loaders import text_lines
from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.sparql_rows import read_rows
from graph_sampler.loaders.text_lines import read_lines
from state.config import GraphConfig
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
    for content in (packed, bz2.compress(TEXT) + b"BZx9 and what follows it"):
        path.write_bytes(content)
        with pytest.raises(GraphFormatError, match="the bzip2 stream is damaged"):
            list(read_lines(path))


def test_whole_documents_in_a_cut_stream_and_files_that_are_no_text_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "results.json"
    for name, pack in PACKINGS:
        path.write_bytes(pack(b'{"head": ' + TEXT)[:-1])
        with pytest.raises(GraphFormatError, match=f"the {name} stream is cut short"):
            read_rows(path, ImportCounters())
    foreign = {
        "Git LFS pointer": b"version https://git-lfs.github.com/spec/v1\n",
        "zip archive": b"PK\3\4",
        "UTF-16": "a\tb".encode("utf-16"),
        "no text": b"a\0b\0",
        "bzip2 within": gzip.compress(bz2.compress(b"")),
    }
    for name, content in foreign.items():
        path.write_bytes(content)
        with pytest.raises(GraphFormatError, match=name):
            list(read_lines(path))
    monkeypatch.setattr(text_lines, "_LONGEST_LINE", 8)
    path.write_bytes(b"short\n" + b"long " * 5)
    with pytest.raises(GraphFormatError, match="line 2: a line of more than"):
        list(read_lines(path))


def test_a_pipe_is_refused_before_anything_is_read_from_it(tmp_path: Path) -> None:
    path = tmp_path / "facts.tsv"
    os.mkfifo(path)
    with pytest.raises(GraphFormatError, match="a pipe or a device, and no file"):
        load_graph(GraphConfig(path=str(path), format="table"))
