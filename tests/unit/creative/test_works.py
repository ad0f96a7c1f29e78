"""Which long answers are works, which are talk, and when two contents are the same work."""

import pytest

from memory_core.creative.works import is_kept, lines_of, work_in
from memory_core.store.unsaved import LONG_ANSWER_CHARS

PROSE = "\n\n".join(
    f"Row {row} of the vineyard faces south, so its {row + 3} vines are cut back before the first frost comes down."
    for row in range(25)
)
CODE = "\n".join(f"def lamp_{number}(level: int) -> int:\n    return level * {number}\n" for number in range(60))
STEPS = "# Cellar in spring\n\n## Before Easter\n\n" + PROSE + "\n\n## After Easter\n\nRack the barrels."


def fenced(body: str, language: str = "python") -> str:
    return f"```{language}\n{body}\n```"


def test_one_long_block_of_code_is_kept_without_the_words_around_it() -> None:
    work = work_in(
        f"Here you are.\n\n{fenced(CODE)}\n\nTell me how it goes.", asked="Could you write me a dimmer, please?"
    )
    assert work is not None
    assert (work.kind, work.title) == ("code", "write me a dimmer, please?")
    assert work.content.strip() == CODE.strip()


def test_several_files_are_kept_with_the_words_between_them() -> None:
    half = CODE[: LONG_ANSWER_CHARS - 200]
    text = f"lamp.py:\n\n{fenced(half)}\n\nlamp.css:\n\n{fenced('.lamp { color: red }' * 30, 'css')}"
    work = work_in(text, asked="Build the lamp page")
    assert work is not None
    assert (work.kind, work.content) == ("code", text)


def test_a_document_in_a_fence_is_a_document() -> None:
    work = work_in(f"Sure:\n\n{fenced(STEPS, 'markdown')}", asked="What about the cellar?")
    assert work is not None
    assert (work.kind, work.title, work.content) == ("document", "Cellar in spring", STEPS)


@pytest.mark.parametrize(
    "asked",
    [
        "Write a report about the vineyard",
        "ok, now draft the newsletter for our members",
        "I liked it. Can you please rewrite it for children?",
        "Bitte schreibe einen Bericht über den Weinberg",
        "Escribe un informe sobre la viña",
    ],
)
def test_a_text_that_was_asked_for_is_a_document(asked: str) -> None:
    work = work_in(PROSE, asked=asked)
    assert work is not None
    assert (work.kind, work.content) == ("document", PROSE)


@pytest.mark.parametrize(
    "asked",
    ["How do vines survive the frost?", "How do I write a report about it?", "Who wrote that plan?", "", "Thanks!"],
)
def test_a_long_explanation_is_no_work(asked: str) -> None:
    assert work_in(PROSE, asked=asked) is None


def test_a_text_with_a_title_and_parts_is_a_work_whoever_asked() -> None:
    work = work_in(STEPS, asked="and the cellar?")
    assert work is not None
    assert (work.kind, work.title) == ("document", "Cellar in spring")


def test_a_plan_is_called_one() -> None:
    work = work_in(STEPS.replace("# Cellar in spring", "# Cellar schedule"), asked="and the cellar?")
    assert work is not None
    assert (work.kind, work.title) == ("plan", "Cellar schedule")


def test_what_is_short_is_talk() -> None:
    assert work_in(fenced(CODE[: LONG_ANSWER_CHARS - 100]), asked="Write me a dimmer") is None
    assert work_in(PROSE[: LONG_ANSWER_CHARS - 1], asked="Write a report") is None


def test_the_mention_of_tools_is_no_part_of_a_work() -> None:
    work = work_in(f"{PROSE} [tools: web_fetch, exec]", asked="Write a report about the vineyard")
    assert work is not None
    assert work.content == PROSE


def test_a_title_is_short_and_never_empty() -> None:
    long_wish = "Please write " + "a very long and winding report about vines " * 9
    work = work_in(PROSE, asked=long_wish)
    assert work is not None
    assert 10 < len(work.title) <= 80
    untitled = work_in(fenced(CODE), asked="")
    assert untitled is not None
    assert untitled.title == "def lamp_0(level: int) -> int:"


def test_a_work_is_kept_when_nearly_all_of_it_stands_in_another() -> None:
    assert is_kept(PROSE, in_other=lines_of(f"# Vineyard\n\n{PROSE.upper()}\n"))
    assert is_kept(PROSE, in_other=lines_of(PROSE.replace("Row 3 ", "Line 3 ")))
    assert not is_kept(PROSE, in_other=lines_of(PROSE[: len(PROSE) // 2]))
    assert not is_kept(PROSE, in_other=lines_of(CODE))
