"""A rare word that came in by every way is, once forgotten, in no byte below the data folder, and stays away."""

import base64
import gzip
import json
import zlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text as sql

from memory_core.capture.service import ReplayedLine
from memory_core.capture.storing import StoreRequest
from memory_core.context.messages import read_message
from memory_core.creative.capturing import CaptureRequest
from memory_core.dream.changes import Entity, Op, Standing
from memory_core.errors import NotFound
from memory_core.forgetting.selecting import Wish
from memory_core.forgetting.service import Receipt
from memory_core.identity import resolve_scope
from memory_core.models.dream import DreamChange
from memory_core.models.memory import Memory
from memory_core.recall.service import RecallRequest
from memory_core.store.dreams import DreamRepository
from memory_core.store.revisions import RevisionRepository
from memory_core.values import ChatRequest, MemoryKind, Origin, Scope
from plugin.backup import back_up, restore
from tests.integration.cores import ANA, ANAS, World, opened, pass_time, settings_for
from tests.integration.dreams.planting import dream, plant, row
from tests.integration.traces import traces

RARE = "quixötzl"
FACT = f"My locker code word is {RARE} at the gym"
KEPT = "The telescope stands on the northern terrace"


@pytest.fixture
def world(sqlite_world: World) -> World:
    return sqlite_world


def mine(world: World) -> Scope:
    return resolve_scope(ANA, world.core.settings.identity)


def forget_word(world: World, word: str = RARE) -> Receipt:
    scope = mine(world)
    chosen = world.core.selecting.choose(scope, Wish(query=word), at=world.clock.now(), zone="UTC")
    return world.core.forgetting.forget(scope.reads, chosen.selection)


def everything(world: World) -> str:
    """Every row of every table, bytes included."""
    found: list[str] = []
    with world.core.database.engine.connect() as connection:
        names = connection.execute(sql("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars().all()
        for name in names:
            found += [repr(line) for line in connection.execute(sql(f"SELECT * FROM {name}"))]  # noqa: S608 own tables
    return "\n".join(found)


def make(world: World, content: str, *, title: str, run: bool = True) -> str:
    request = CaptureRequest(
        title=title, content=content, creative_project="observatory", project="dome", kind="note", source_kref=None
    )
    accepted = world.core.capturing.capture(mine(world), request)
    if run:
        world.run_jobs()
    return str(accepted.job_id)


# -- the ways in; each leaves the word somewhere on the disk


def by_a_turn(world: World) -> None:
    world.say(FACT, key="turn")
    world.consolidate()


def by_a_turn_that_waits(world: World) -> None:
    world.say(f"{KEPT}. {FACT}.", key="waits")


def by_an_answer(world: World) -> None:
    world.say("What was it again?", key="answer", answer=f"Your locker code word is {RARE}, as you told me in spring.")
    world.consolidate()


def by_a_tool(world: World) -> None:
    world.core.storing.store(mine(world), StoreRequest(text=f"{FACT}, says the tool", tags=("sport",)))
    world.core.storing.store(mine(world), StoreRequest(text="The gym opens at seven", tags=(RARE,)))


def by_a_work(world: World) -> None:
    make(world, f"A plan.\n\nThe word {RARE} opens the locker.\n", title="Locker plan")


def by_a_title(world: World) -> None:
    make(world, "A plan without the word.", title=f"About {RARE}")


def by_an_earlier_version_of_a_work(world: World) -> None:
    make(world, f"{RARE} stood here first.", title="Rewritten")
    make(world, "Now something else stands here.", title="Rewritten")


def by_a_work_that_waits(world: World) -> None:
    make(world, f"{RARE} waits here.", title="Not yet", run=False)


def by_an_earlier_wording(world: World) -> None:
    memory = plant(world, f"My cat is called {RARE}")
    with world.core.database.transaction() as db:
        RevisionRepository(db).revise(
            db.get_one(Memory, memory.id), values={"text": "I have a cat"}, at=world.clock.now(), reason="edited"
        )


def by_a_dream_run(world: World) -> None:
    plant(world, f"My boat is called {RARE} since May", days_ago=30)
    plant(world, f"my boat is called {RARE} since May!", days_ago=9)
    dream(world)


def by_a_report_entry(world: World) -> None:
    memory = plant(world, "I take the tram to the office")
    run = dream(world)
    before = f"I take the tram to the office. {RARE} drives it."
    with world.core.database.transaction() as db:
        RevisionRepository(db).revise(
            db.get_one(Memory, memory.id), values={"text": before}, at=world.clock.now(), reason="edited"
        )
        RevisionRepository(db).revise(
            db.get_one(Memory, memory.id), values={"text": memory.text}, at=world.clock.now(), reason="a part left"
        )
        vector = base64.b64encode(before.encode()).decode()
        for number, entity in enumerate((Entity.MEMORY, Entity.VECTOR)):
            change = DreamChange(
                run_id=run.id,
                seq=DreamRepository(db).next_seq(run.id),
                memory_id=memory.id,
                op=Op.REVISE,
                detail=number > 0,
                entity=entity,
                entity_id=memory.id,
                reason=f"model: {RARE} drives no more",
                before={"text": before, "dense": vector},
                after={"text": memory.text, "dense": ""},
                state=Standing.APPLIED,
            )
            DreamRepository(db).add_changes([change])


def by_the_archive(world: World) -> None:
    said = [
        read_message("user", f"My sailing coach is {RARE} Oliveira", at=world.clock.now(), key="arch"),
        read_message("assistant", f"Noted: {RARE} Oliveira coaches you.", at=world.clock.now()),
    ]
    world.core.context.commit(ANA, said, key="arch")
    world.consolidate()
    pass_time(world, hours=3)
    world.core.capture.drop_consolidated()


def by_an_import(world: World) -> None:
    at = world.clock.now() - timedelta(days=400)
    text = f"I planted a tree called {RARE} in the garden"
    line = ReplayedLine(number=1, ref=ANA, message_key="old", at=at, role=Origin.USER, speaker="Ana", text=text)
    world.core.capture.replay([line])
    world.consolidate()


def by_a_model_call(world: World) -> None:
    world.core.model_calls.see("home")
    world.core.model_calls.serve(ANAS, "home")
    asked = ChatRequest(system="s", prompt=f"What of {RARE}?", max_tokens=9, purpose="extract@1", scopes=(ANAS,))
    world.core.model_calls.post(asked, response_format=None, wait=timedelta(days=9))


def by_looking_ahead(world: World) -> None:
    by_a_turn(world)
    world.core.recall.look_ahead(ANA, user_text=FACT, assistant_text="I see.", now=world.clock.now())


WAYS: tuple[Callable[[World], None], ...] = (
    *(by_a_turn, by_a_turn_that_waits, by_an_answer, by_a_tool, by_a_work, by_a_title, by_an_earlier_version_of_a_work),
    *(by_a_work_that_waits, by_an_earlier_wording, by_a_dream_run, by_a_report_entry, by_the_archive, by_an_import),
    *(by_a_model_call, by_looking_ahead),
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_word_that_came_in_by_one_way_is_nowhere(
    world: World, tmp_path: Path, *, way: Callable[[World], None]
) -> None:
    world.remember(KEPT, key="kept")
    way(world)
    assert traces(tmp_path, RARE)
    forget_word(world)
    assert RARE not in everything(world).casefold()
    assert traces(tmp_path, RARE) == []
    assert KEPT in world.texts()


def test_a_word_that_came_in_by_all_ways_is_nowhere_and_stays_away(
    world: World, tmp_path: Path, *, capfd: pytest.CaptureFixture[str]
) -> None:
    world.remember(KEPT, key="kept")
    for way in WAYS:
        way(world)
        pass_time(world, minutes=1)
    receipt = forget_word(world)
    assert traces(tmp_path, RARE) == []
    assert (receipt.artifacts, receipt.pending) == (2, False)
    assert receipt.memories >= 8
    assert min(receipt.turns, receipt.wordings, receipt.changes, receipt.vectors) > 0
    known = len(world.memories())
    by_a_turn(world)
    by_an_import(world)
    assert len(world.memories()) == known
    with pytest.raises(NotFound):
        world.run_jobs()  # the request that waited
    world.consolidate()
    assert KEPT in " ".join(world.texts())
    assert not [text for text in world.texts() if RARE in text.casefold()]
    assert RARE not in "".join(capfd.readouterr()).casefold()


def test_it_is_learned_again_from_a_new_statement_only(world: World) -> None:
    world.remember(FACT, key="old")
    forget_word(world)
    pass_time(world, seconds=1)
    assert world.remember(FACT, key="new").text == FACT


def test_no_job_ever_held_the_word(world: World) -> None:
    """What the flow engine keeps are ids of jobs; what jobs keep are ids too."""
    for way in WAYS:
        way(world)
    with world.core.database.engine.connect() as connection:
        jobs = connection.execute(sql("SELECT * FROM job")).all()
    assert len(jobs) > 3
    assert RARE not in repr(jobs).casefold()
    assert RARE not in repr(world.engine.submissions).casefold()


def test_undoing_passes_what_was_forgotten_by_and_says_so(world: World) -> None:
    old = plant(world, f"My boat is called {RARE} since May", days_ago=30)
    other = plant(world, "The shed key hangs by the door", days_ago=30)
    plant(world, f"my boat is called {RARE} since May!", days_ago=9)
    plant(world, "the shed key hangs by the door!", days_ago=9)
    run = dream(world)
    receipt = forget_word(world)
    assert receipt.changes > 0
    report = world.core.dreams.reports.get(run.id)
    assert "forgotten" in {change.state for change in report.changes}
    assert RARE not in str(report).casefold()
    undone = world.core.dreams.undoing.undo(run.id)
    assert [why for why in undone.kept if "forgotten" in why]
    assert undone.reverted > 0
    assert row(world, other).status == "active"
    assert old.id not in {memory.id for memory in world.memories()}
    assert RARE not in everything(world).casefold()


def test_a_summary_that_cites_it_goes_and_what_else_was_said_stays(world: World) -> None:
    world.say(f"{FACT}. My sister Marta lives in Porto.", key="t1")
    world.consolidate()
    (memory,) = [one for one in world.memories() if one.origin == "user"]
    with world.core.database.reading() as db:
        turn_key = "t1"
        assert db.get(Memory, memory.id) is not None
    summary = plant(world, "Ana told of her locker and her sister", kind=MemoryKind.SUMMARY, days_ago=0)
    with world.core.database.transaction() as db:
        db.connection().execute(
            sql("INSERT INTO memorysource (memory_id, turn_id, turn_key) VALUES (:memory, 1, :key)"),
            {"memory": summary.id, "key": turn_key},
        )
    unrelated = plant(world, "Ana likes tea", kind=MemoryKind.SUMMARY, days_ago=0)
    receipt = forget_word(world)
    assert (receipt.memories, receipt.derived) == (1, 1)
    assert [one.id for one in world.memories()] == [unrelated.id]


def test_of_a_turn_that_waits_only_the_sentences_that_are_meant_go(world: World) -> None:
    memory = world.remember(FACT, key="t1")
    world.say(f"{KEPT}. {FACT}. It is seven metres long.", key="t2")
    scope = mine(world)
    chosen = world.core.selecting.choose(scope, Wish(refs=(memory.id,)), at=world.clock.now(), zone="UTC")
    receipt = world.core.forgetting.forget(scope.reads, chosen.selection)
    assert receipt.turns == 2
    waiting = [turn.text for turn in world.core.forgetting.buffered([ANAS]) if turn.role == "user"]
    assert waiting == [f"{KEPT}. It is seven metres long."]
    world.consolidate()
    assert world.texts() == [f"{KEPT}. It is seven metres long."]


def test_what_is_kept_in_memory_lets_go_too(world: World) -> None:
    memory = world.remember(FACT, key="t1")
    world.core.recall.look_ahead(ANA, user_text=FACT, assistant_text="I see.", now=world.clock.now())
    forget_word(world)
    recalled = world.core.recall.recall(ANA, RecallRequest(message=FACT, at=world.clock.now(), threshold=0))
    assert (recalled.found, recalled.source) == ([], "live")
    assert memory.id not in world.index.points


def test_a_backup_from_before_brings_nothing_of_it_back(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "safe.backup"
    home.mkdir()
    with opened(home) as world:
        world.remember(KEPT, key="kept")
        for way in WAYS:
            way(world)
            pass_time(world, minutes=1)
        back_up(world.core.settings, file)
        pass_time(world, minutes=1)
        forget_word(world)
        assert traces(home, RARE) == []
    restored = restore(settings_for(home), file)
    assert restored.reapplied.memories >= 8
    assert min(restored.reapplied.turns, restored.reapplied.revisions) > 0
    assert restored.reapplied.artifacts == 2
    assert traces(home, RARE) == []
    with opened(home) as world:
        assert KEPT in " ".join(world.texts())


class TestLooking:
    """The search itself finds the word however it is written: else the tests above would prove nothing."""

    WRITTEN = (
        FACT.encode(),
        FACT.upper().encode(),
        FACT.encode("utf-16-le"),
        json.dumps({"text": FACT}).encode(),
        gzip.compress(FACT.encode(), mtime=0),
        b"head" + zlib.compress(FACT.encode()),
        *(base64.b64encode(bytes(number) + FACT.encode()) for number in range(3)),
    )

    @pytest.mark.parametrize("content", WRITTEN)
    def test_it_is_found(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "file").write_bytes(content)
        assert traces(tmp_path, RARE) == ["file"]

    def test_other_words_are_not(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(zlib.compress(KEPT.encode()) + base64.b64encode(KEPT.encode()))
        assert traces(tmp_path, RARE) == []
