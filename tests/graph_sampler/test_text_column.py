"""Texts as one block of bytes: whatever is asked of them is what a list of the same texts gives."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_sampler.text_column import TextColumn
from tests.graph_sampler.test_columns import is_mapped

TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=12), max_size=30)


def column_of(texts: list[str]) -> TextColumn:
    return TextColumn.of(pa.array(texts, pa.string()))


@given(TEXTS, st.data())
def test_it_reads_as_a_list_does(texts: list[str], data: st.DataObject) -> None:
    column = column_of(texts)
    assert list(column) == texts
    assert column == texts
    assert len(column) == len(texts)
    for place in range(-len(texts), len(texts)):
        assert column[place] == column[np.int32(place)] == texts[place]
    part = data.draw(st.slices(len(texts)))
    assert column[part] == texts[part]
    for beyond in (len(texts), -len(texts) - 1):
        with pytest.raises(IndexError):
            column[beyond]
    assert pa.array(column, pa.string()).to_pylist() == pa.array(column).to_pylist() == texts


@given(st.lists(TEXTS, max_size=4), st.integers(0, 5))
def test_chunks_and_slices_of_arrow_arrays_are_read_whole(chunks: list[list[str]], left_out: int) -> None:
    texts = [text for chunk in chunks for text in chunk][left_out:]
    assert TextColumn.of(pa.chunked_array(chunks, pa.string()).slice(left_out)) == texts
    assert TextColumn.of(pa.array([text for chunk in chunks for text in chunk], pa.string()).slice(left_out)) == texts


@given(TEXTS, TEXTS)
def test_columns_are_equal_where_their_texts_are(one: list[str], other: list[str]) -> None:
    assert (column_of(one) == column_of(other)) is (one == other)
    assert column_of(one) != "".join(one)


def test_many_texts_are_mapped_and_stay_the_same_when_pickled() -> None:
    drawn = random.Random(7)
    texts = ["é" * drawn.randrange(20) + str(number) for number in range(200_000)]
    column = column_of(texts)
    assert all(map(is_mapped, column.__reduce__()[1]))
    assert list(column) == texts
    buffers: list[pickle.PickleBuffer] = []
    sent = pickle.dumps(column, protocol=5, buffer_callback=buffers.append)
    assert len(sent) < 1000, "the texts travel beside it, where the receiver can read them in place"
    received = pickle.loads(sent, buffers=buffers)
    assert received == texts
    assert all(np.shares_memory(one, other) for one, other in zip(column.__reduce__()[1], received.__reduce__()[1], strict=True))
