"""Addresses: what is built can be parsed, what is no address is refused."""

import contextlib
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.errors import Invalid
from memory_core.kref import Address, artifact_krefs, memory_kref, parse, parse_comparison, place_of, title_key
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


NAMES = st.text(max_size=300) | st.sampled_from(
    ["", " ", "/", "a/b", "..", "🙂", "観測所", "C++", "C#", "x" * 10_000, "a-b", "a b", "İ", "ß", "\u0000", "a\tb"]
)


@given(project=NAMES, space=NAMES, kind=NAMES, title=NAMES)
def test_every_artifact_gets_addresses_that_can_be_parsed(*, project: str, space: str, kind: str, title: str) -> None:
    place = place_of(project=project, space=space, kind=kind)
    krefs = list(artifact_krefs(place, title, artifact_id=ID))
    assert len(set(krefs)) == 3
    for kref in krefs:
        assert parse(f"{kref}?r=12") == Address(kref=kref, revision=12)
        assert parse_comparison(f"{kref}?r=1..12") == Address(kref=kref, revision=1, other=12)
        assert kref.startswith(f"kref://{place.project}/{place.space}/")
        assert kref.endswith(f".{place.kind}")
        assert not set(kref) & set("<>[](){}\"'`|\n\r\t #")
        assert len(kref) < 6000
    assert list(artifact_krefs(place, title, artifact_id=ID)) == krefs


@given(project=NAMES, space=NAMES, kind=NAMES)
def test_a_place_named_by_its_own_parts_is_the_same(*, project: str, space: str, kind: str) -> None:
    place = place_of(project=project, space=space, kind=kind)
    assert place_of(project=place.project, space=place.space, kind=place.kind) == place


@given(first=NAMES, second=NAMES)
def test_names_that_differ_in_more_than_case_and_blanks_are_two_projects(first: str, second: str) -> None:
    one, other = (place_of(project=name, space="s", kind="k").project for name in (first, second))
    if title_key(first.replace("-", " ")) != title_key(second.replace("-", " ")):
        assert one != other
    if title_key(first) == title_key(second):
        assert one == other


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Shutter protocol", "shutter-protocol"),
        ("a/b: c", "a-b-c"),
        ("v1.2 notes", "v1.2-notes"),
        ("観測所の計画", "観測所の計画"),
        ("🙂", "untitled"),
        ("", "untitled"),
        ("../../etc", "etc"),
    ],
)
def test_the_slug_of_an_artifact_is_drawn_from_its_title(title: str, slug: str) -> None:
    place = place_of(project="Observatory", space="Dome Control/north", kind="Design note")
    plain = next(artifact_krefs(place, title, artifact_id=ID))
    assert plain == f"kref://observatory/dome-control/north/{slug}.design_note"


def test_only_a_comparison_may_name_two_revisions() -> None:
    with pytest.raises(Invalid, match="two revisions"):
        parse("kref://a/b.design?r=1..2")
    with pytest.raises(Invalid):
        parse_comparison("kref://a/b.design?r=0..2")
