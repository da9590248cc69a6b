"""Pieces of RDF text: escapes, literals, prefixes, names and dates."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.loaders.rdf_text import Prefixes, cut_date, literal_text, name_in_words, read_literal, unescape


@settings(max_examples=40)
@given(st.text(st.characters(codec="utf-8")))
def test_a_literal_that_was_escaped_is_read_back(text: str) -> None:
    for escaped in (json.dumps(text, ensure_ascii=False), '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'):
        found = read_literal(f"{escaped}@en-GB <http://x.y/graph> .".encode())
        assert found is not None
        assert (literal_text(found[0]), found[1]) == (text, b"en-gb")


@pytest.mark.parametrize(
    ("text", "meaning"),
    [(r"\u00e9\U0001F600", "é😀"), (r"a\qb\\", "a\\qb\\"), (r"\ud800", r"\ud800"), (r"\u12", r"\u12"), (r"\UFFFFFFFF", r"\UFFFFFFFF")],
)
def test_an_escape_that_does_not_exist_stays(text: str, meaning: str) -> None:
    assert unescape(text) == meaning


def test_a_term_is_an_iri_by_prefix_base_or_in_full() -> None:
    prefixes = Prefixes()
    assert prefixes.declare(b"@prefix ex: <http://x.y/> .")
    assert prefixes.declare(b"BASE <http://b.a/s/>")
    assert not prefixes.declare(b"<a> <b> <c> .")
    found = [prefixes.iri(term) for term in (b"ex:a", b"<c_1>", b"<http://full/b>", b"no:a", b'"text"', b"plain", b"<>", b"<cut")]
    assert found == [b"http://x.y/a", b"http://b.a/s/c_1", b"http://full/b", None, None, None, None, None]


@pytest.mark.parametrize(
    ("value", "precision", "text"),
    [
        ("1996-05-01", "day", "1996-05-01"), ("1996-05-01T00:00:00Z", "day", "1996-05-01"), ("1996-05-01", "month", "1996-05"),
        ("1996-05-01", "year", "1996"), ("1996", "day", "1996"), ("-099-07-12T00:00:00Z", "year", "-0099"), ("+1996-05", "day", "1996-05"),
        ("996", "year", "0996"), ("1996-05-01+02:00", "day", "1996-05-01"), ("soon", "day", None), ("", "year", None),
    ],
)  # fmt: skip
def test_a_date_is_cut_to_a_precision(value: str, precision: str, text: str | None) -> None:
    assert cut_date(value, precision) == text


@pytest.mark.parametrize(
    ("name", "words"), [("wasBornIn", "was born in"), ("member_of", "member of"), ("P54", "p54"), ("alumniOf", "alumni of")]
)
def test_a_name_is_read_as_words(name: str, words: str) -> None:
    assert name_in_words(name) == words
