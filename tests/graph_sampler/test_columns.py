"""Columns that never change: the same numbers in a mapped file or in memory, closed to writing."""

from __future__ import annotations

import mmap
import tempfile
from pathlib import Path

import numpy as np
import pytest

from graph_sampler.columns import settled

LARGE = 1 << 18


def is_mapped(column: object) -> bool:
    while isinstance(column, (np.ndarray, memoryview)):
        column = column.base if isinstance(column, np.ndarray) else column.obj
    return isinstance(column, mmap.mmap)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.intp])
@pytest.mark.parametrize("step", [1, -1, 3])
def test_a_large_column_is_mapped_and_holds_the_same_numbers(dtype: type, step: int) -> None:
    column = np.arange(LARGE * 4, dtype=dtype)[::step]
    found = settled(column)
    assert is_mapped(found)
    assert not is_mapped(column)
    assert found.dtype == column.dtype
    np.testing.assert_array_equal(found, column)
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1


@pytest.mark.parametrize("size", [0, 1, 1000])
def test_a_small_column_stays_in_memory_and_is_closed_to_writing(size: int) -> None:
    column = np.arange(size, dtype=np.int32)
    assert settled(column) is column
    assert not column.flags.writeable


def test_no_file_is_left_in_the_folder_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = settled(np.arange(LARGE))
    assert list(tmp_path.iterdir()) == []
    assert int(found.sum()) == LARGE * (LARGE - 1) // 2


def test_without_room_for_temporary_files_a_column_stays_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    column = np.arange(LARGE)
    assert settled(column) is column
    assert not column.flags.writeable
