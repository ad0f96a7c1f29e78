"""The dirty corpus through capture and consolidation over real tables: what is on disk, and what became memory."""

from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import update
from sqlmodel import col, select

from memory_core.capture.service import LiveTurn, ReplayedLine
from memory_core.capture.statements import AS_SAID
from memory_core.fence import FENCE_CLOSE, FENCE_OPEN
from memory_core.models.turn import Turn
from memory_core.values import Origin
from tests.integration.cores import ANA, World
from tests.unit.capture.dirty_turns import DirtyTurn, dirty_turns

KEPT_FLOOR = 0.95
APART_S = 4000
"""Each turn begins a session of its own, so that none explains the next."""


def capture(world: World, turns: tuple[DirtyTurn, ...]) -> None:
    for number, turn in enumerate(turns):
        world.clock.advance(seconds=APART_S)
        live = LiveTurn(
            turn_key=f"dirty-{number}",
            at=world.clock.now(),
            user_text=turn.user,
            assistant_text=turn.assistant,
            tools=tuple(name for name, _ in turn.tools),
        )
        world.core.capture.accept(replace(ANA, trigger=turn.trigger), live)


def test_the_corpus_leaves_facts_and_nothing_else(sqlite_world: World) -> None:
    world, turns = sqlite_world, dirty_turns()
    capture(world, turns)
    with world.core.database.reading() as db:
        buffered = {turn.turn_key: turn.text or "" for turn in db.exec(select(Turn))}
    world.consolidate()
    memories = world.memories()
    described = world.core.library.describe(memories)
    by_turn: dict[str, list[tuple[str, str]]] = {}
    for view in described:
        for key in view.sources:
            by_turn.setdefault(key, []).append((view.memory.origin, view.memory.text))
    junk, lost, wanted = list[str](), list[str](), 0
    for number, turn in enumerate(turns):
        key = f"dirty-{number}"
        made = by_turn.get(key, [])
        secrets = turn.junk if turn.item in {"secret", "personal data"} else ()
        junk += [word for word in secrets if word in buffered.get(key, "")]
        junk += [f"{turn.item}: {word}" for word in turn.junk for _, text in made if word in text]
        if turn.item in {"date", "language"}:
            continue  # their dates depend on the clock; the unit test holds it still
        wanted += len(turn.facts)
        lost += [words for origin, words in turn.facts if not _holds(made, origin=origin, words=words)]
    assert junk == []
    assert 1 - len(lost) / wanted >= KEPT_FLOOR, lost
    texts = [(memory.speaker, memory.origin, memory.text) for memory in memories]
    assert len(texts) == len(set(texts))
    assert max(memory.count for memory in memories) > 1


def test_the_same_corpus_again_adds_nothing(sqlite_world: World) -> None:
    turns = dirty_turns()[:40]
    capture(sqlite_world, turns)
    sqlite_world.consolidate()
    before = [(memory.id, memory.count) for memory in sqlite_world.memories()]
    capture(sqlite_world, turns)
    sqlite_world.consolidate()
    assert [(memory.id, memory.count) for memory in sqlite_world.memories()] == before


def test_a_turn_that_no_rule_can_read_holds_nobody_up(sqlite_world: World) -> None:
    facts = ["My sister Marta lives in Porto", "We met Bo yesterday in Faro", "Our dog Rufus fears thunder"]
    for number, fact in enumerate(facts):
        sqlite_world.say(fact, key=f"t{number}")
    with sqlite_world.core.database.transaction() as db:
        db.exec(update(Turn).where(col(Turn.turn_key) == "t1").values(timezone="Mars/Olympus_Mons"))
    sqlite_world.consolidate()
    assert sqlite_world.texts() == facts
    assert [memory.made_by for memory in sqlite_world.memories() if memory.text == facts[1]] == [AS_SAID]


def test_of_tools_only_names_are_kept_and_only_beside_an_answer(sqlite_world: World) -> None:
    ref, at = ANA, sqlite_world.clock.now()
    asked = LiveTurn(
        turn_key="t1",
        at=at,
        user_text="How full is Hornet?",
        assistant_text="The disk of Hornet is 91 % full.",
        tools=("exec", "exec", "web fetch; rm -rf /"),
    )
    sqlite_world.core.capture.accept(ref, asked)
    thanked = LiveTurn(turn_key="t2", at=at, user_text="thanks", assistant_text="You're welcome!", tools=("exec",))
    sqlite_world.core.capture.accept(ref, thanked)
    sqlite_world.consolidate()
    assert sqlite_world.texts(origin="assistant") == [
        "How full is Hornet? — The disk of Hornet is 91 % full. [tools: exec, webfetchrm-rf]"
    ]


def test_fifty_turns_with_recalled_memories_copy_none_of_them(sqlite_world: World) -> None:
    facts = ["My sister Marta lives in Porto", "Our dog Rufus fears thunder"]
    known = [sqlite_world.remember(fact, key=f"k{number}") for number, fact in enumerate(facts)]
    lines = "\n".join(f"- [2026-05-06, Ana] {memory.text} ({memory.kref})" for memory in known)
    block = f"{FENCE_OPEN}\nFrom long-term memory, reference data.\n{lines}\n{FENCE_CLOSE}"
    for number in range(50):
        said = f"I watered plant {number} of the greenhouse"
        dirty = f"{block}\n\n{said}" if number % 2 else f"{said}\n\n{block}"
        sqlite_world.say(dirty, key=f"t{number}", answer=f"{block}\nThe log of the greenhouse has entry {number} now.")
    sqlite_world.consolidate()
    after = {memory.text: memory.count for memory in sqlite_world.memories() if memory.text in facts}
    assert after == dict.fromkeys(facts, 1)
    others = [memory.text for memory in sqlite_world.memories() if memory.text not in facts]
    assert len([text for text in others if text.startswith("I watered plant")]) == 50
    assert not [text for text in others if "Marta" in text or "Rufus" in text or "kref://" in text]


def test_a_back_dated_import_hangs_on_the_time_of_its_lines(sqlite_world: World) -> None:
    lines = [
        ReplayedLine(number=n, ref=ANA, message_key=f"m{n}", at=at, role=Origin.USER, speaker="Ana", text=text)
        for n, (at, text) in enumerate(
            [
                (datetime(2019, 1, 2, 12, tzinfo=UTC), "Last week we moved into the mill"),
                (datetime(2016, 2, 29, 12, tzinfo=UTC), "Tomorrow Bo starts at the bakery"),
                (datetime(2021, 10, 31, 0, 30, tzinfo=UTC), "Some day I will see the fjords"),
            ]
        )
    ]
    sqlite_world.core.capture.replay(lines)
    sqlite_world.consolidate()
    by_key = {memory.text[:12]: memory for memory in sqlite_world.memories()}
    moved, starts, unknown = by_key["Last week (2"], by_key["Tomorrow (1 "], by_key["Some day I w"]
    assert moved.text == "Last week (24-30 December 2018) we moved into the mill"
    assert moved.event_at == datetime(2018, 12, 24, tzinfo=UTC)
    assert moved.event_until == datetime(2018, 12, 31, tzinfo=UTC)
    assert starts.text == "Tomorrow (1 March 2016) Bo starts at the bakery"
    assert starts.event_at == datetime(2016, 3, 1, tzinfo=UTC)
    assert unknown.text == "Some day I will see the fjords"
    assert unknown.event_until is None


def _holds(made: list[tuple[str, str]], *, origin: Origin, words: str) -> bool:
    return any(words in text and origin == said for said, text in made)
