"""Addresses: what is built can be parsed, what is no address is refused."""

import contextlib
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.errors import Invalid
from memory_core.kref import Address, memory_kref, parse
from memory_core.values import MemoryId, MemoryKind

ID = MemoryId("3f2b8c1e-6f0a-4f55-9d2e-0a7f3f1c9b10")


@given(number=st.uuids(), project=st.text(), space=st.text(), kind=st.sampled_from(MemoryKind))
def test_every_built_address_is_one(*, number: UUID, project: str, space: str, kind: MemoryKind) -> None:
    kref = memory_kref(MemoryId(str(number)), project=project, space=space, kind=kind)
    assert parse(kref) == Address(kref=kref)
    assert parse(f"{kref}?r=3") == Address(kref=kref, revision=3)


@given(st.text(), st.text())
def test_an_address_holds_nothing_that_could_end_a_line_or_a_block(project: str, space: str) -> None:
    kref = memory_kref(ID, project=project, space=space, kind=MemoryKind.FACT)
    assert not set(kref) & set("<>[](){}\"'`|\n\r\t ")


def test_an_address_names_project_space_and_kind_and_no_words_of_the_memory() -> None:
    kref = memory_kref(ID, project="CognitiveMemory", space="personal", kind=MemoryKind.ACTION_ITEM)
    assert kref == "kref://CognitiveMemory/personal/m-3f2b8c1e6f0a.action_item"


@pytest.mark.parametrize(
    "text",
    [
        "kref://observatory/dome-control/shutter-protocol.design",
        "kref://observatory/dome/north/shutter.v2.design",
        "kref://Müller/größe/größe.fact",
    ],
)
def test_addresses_of_other_shapes_are_read(text: str) -> None:
    assert parse(f"  {text}\n") == Address(kref=text)
    assert parse(f"{text}?r=999999999") == Address(kref=text, revision=999_999_999)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kref://",
        "kref://a/b",
        "kref://a.fact",
        "kref:///b.fact",
        "KREF://a/b.fact",
        "http://a/b.fact",
        "kref://a/b.fact?r=0",
        "kref://a/b.fact?r=-1",
        "kref://a/b.fact?r=1.5",
        "kref://a/b.fact?r=12345678901",
        "kref://a/b.fact?r=1&x=2",
        "kref://a/b.fact?x=1",
        "kref://a/b.fact#top",
        "kref://a/b c.fact",
        "kref://a/b.fact\nkref://a/c.fact",
        "kref://a/b.Fact",
        "kref://a/b.",
        "3f2b8c1e-6f0a-4f55-9d2e-0a7f3f1c9b10",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="ref: "):
        parse(text)


@given(st.text(max_size=200))
def test_any_text_is_either_an_address_or_refused(text: str) -> None:
    with contextlib.suppress(Invalid):
        assert parse(text).kref.startswith("kref://")
