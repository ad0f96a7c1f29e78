"""What becomes of a new statement beside those stored: only what it can replace is retired, nothing is lost."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memory_core.capture.service import ReplayedLine
from memory_core.capture.storing import StoreRequest
from memory_core.errors import Forbidden
from memory_core.forgetting.service import Selection
from memory_core.identity import resolve_scope
from memory_core.models.memory import Memory
from memory_core.store.links import LinkRepository
from memory_core.store.revisions import RevisionRepository
from memory_core.values import Decision, LinkKind, MemoryId, MemoryKind, MemoryStatus, Origin, ScopeKey, SessionRef
from tests.integration.cores import ANA, ANAS, BO, GROUP, World


def tell(world: World, *said: str, ref: SessionRef = ANA, scope: ScopeKey = ANAS, apart_s: float = 3600) -> None:
    """Say and consolidate one after the other."""
    for text in said:
        number = len(world.woken)
        world.woken.append("told")
        world.say(text, key=f"told {number}", ref=ref)
        world.consolidate(scope)
        world.clock.advance(seconds=apart_s)


def standing(world: World, scope: ScopeKey = ANAS) -> dict[str, str]:
    return {memory.text: memory.status for memory in world.memories(scope) if memory.origin == Origin.USER}


def called(world: World, text: str, *, scope: ScopeKey = ANAS) -> Memory:
    return next(memory for memory in world.memories(scope) if memory.text == text)


def edges(world: World, memory: Memory) -> set[tuple[str, str, str]]:
    with world.core.database.reading() as db:
        found = LinkRepository(db).of([memory.id], scopes=[ScopeKey(memory.scope_key)])
    return {(link.kind, link.source_id, link.target_id) for link in found}


def group(world: World) -> ScopeKey:
    scope = resolve_scope(GROUP, world.core.settings.identity)
    assert scope.writes is not None
    return scope.writes


class TestReplacing:
    @pytest.mark.parametrize(
        ("older", "newer"),
        [
            ("I live in Porto", "I moved to Lisbon"),
            ("We use Redis for caching", "We dropped Redis for Postgres"),
            ("The staging port is 8080", "The staging port is 9090 now"),
        ],
    )
    def test_what_is_out_of_date_is_superseded_and_stays_readable(
        self, world: World, *, older: str, newer: str
    ) -> None:
        tell(world, older)
        began = called(world, older).valid_from
        tell(world, newer)
        old, new = called(world, older), called(world, newer)
        assert standing(world) == {older: MemoryStatus.SUPERSEDED, newer: MemoryStatus.ACTIVE}
        assert (old.superseded_by, old.valid_until, old.valid_from) == (new.id, new.valid_from, began)
        assert (LinkKind.SUPERSEDES, new.id, old.id) in edges(world, old)

    @pytest.mark.parametrize(
        "newer",
        [
            "I visited Lisbon last week",
            "I will move to Lisbon next year",
            "My brother lives in Lisbon now",
            "I would love to live in Lisbon",
        ],
    )
    def test_a_mention_retires_nothing(self, world: World, newer: str) -> None:
        tell(world, "I live in Porto", newer)
        assert set(standing(world).values()) == {MemoryStatus.ACTIVE}

    def test_only_the_sentence_that_holds_no_longer_goes(self, world: World) -> None:
        whole = "I live in Porto and my sister Ines lives in Braga."
        tell(world, whole, "I moved to Lisbon")
        (kept,) = [memory for memory in world.memories() if "Braga" in memory.text]
        assert (kept.text, kept.status, kept.revision) == ("My sister Ines lives in Braga.", MemoryStatus.ACTIVE, 2)
        with world.core.database.reading() as db:
            (before,) = RevisionRepository(db).of(kept.id)
        assert before.state["text"] == whole

    def test_what_was_said_in_one_batch_is_compared_too(self, world: World) -> None:
        world.say("I live in Porto", key="t1")
        world.clock.advance(seconds=60)
        world.say("I moved to Lisbon", key="t2")
        result = world.core.consolidation.run(ANAS, through=1_000_000, on_batch=lambda _: None)
        assert (result.added, result.superseded) == (2, 1)
        assert standing(world)["I live in Porto"] == MemoryStatus.SUPERSEDED

    def test_an_index_that_is_away_blocks_nothing(self, world: World) -> None:
        tell(world, "I live in Porto")
        world.index.away = "the index process is away"
        world.say("I moved to Lisbon", key="t2")
        world.core.consolidation.run(ANAS, through=1_000_000, on_batch=lambda _: None)
        assert standing(world)["I live in Porto"] == MemoryStatus.SUPERSEDED, "it is among the newest"

    def test_an_old_fact_is_found_among_many(self, world: World) -> None:
        tell(world, "I live in Porto")
        for number in range(70):
            world.say(f"Box {number} in the attic holds {number + 3} old lamps", key=f"box {number}")
        world.consolidate()
        tell(world, "I moved to Lisbon")
        assert standing(world)["I live in Porto"] == MemoryStatus.SUPERSEDED

    def test_a_pinned_memory_is_never_retired_by_words(self, world: World) -> None:
        scope = resolve_scope(ANA, world.core.settings.identity)
        world.core.storing.store(scope, StoreRequest(text="I live in Porto", pinned=True))
        world.core.indexing.apply_due()
        tell(world, "I moved to Lisbon")
        assert standing(world) == {"I live in Porto": MemoryStatus.ACTIVE, "I moved to Lisbon": MemoryStatus.FLAGGED}

    def test_an_older_statement_that_comes_later_is_history(self, world: World) -> None:
        tell(world, "I moved to Lisbon")
        at = world.clock.now() - timedelta(days=400)
        line = ReplayedLine(
            number=1, ref=ANA, message_key="m1", at=at, role=Origin.USER, speaker="Ana", text="I live in Porto"
        )
        world.core.capture.replay([line])
        world.consolidate()
        old, new = called(world, "I live in Porto"), called(world, "I moved to Lisbon")
        assert (new.status, old.status, old.superseded_by) == (MemoryStatus.ACTIVE, MemoryStatus.SUPERSEDED, new.id)
        assert (old.valid_from, old.valid_until) == (at, new.valid_from)

    def test_moving_back_is_a_fact_again(self, world: World) -> None:
        tell(world, "I live in Porto", "I live in Lisbon now", "I live in Porto")
        assert [memory.status for memory in world.memories() if memory.text == "I live in Porto"] == [
            MemoryStatus.ACTIVE,
            MemoryStatus.SUPERSEDED,
        ]
        assert standing(world)["I live in Lisbon now"] == MemoryStatus.SUPERSEDED


class TestDoubt:
    def test_what_cannot_both_hold_is_flagged_and_stays(self, world: World) -> None:
        tell(world, "I really like cilantro", "I don't like cilantro")
        assert set(standing(world).values()) == {MemoryStatus.FLAGGED}
        new, old = called(world, "I don't like cilantro"), called(world, "I really like cilantro")
        assert (LinkKind.CONTRADICTS, new.id, old.id) in edges(world, new)

    def test_the_assistant_takes_nothing_back(self, world: World) -> None:
        tell(world, "The budget meeting is on Thursday at 10")
        world.say("Thanks for looking!", key="t2", answer="The budget meeting is on Friday at 11 in room 4.")
        world.consolidate()
        status = {memory.origin: memory.status for memory in world.memories()}
        assert status == {Origin.USER: MemoryStatus.ACTIVE, Origin.ASSISTANT: MemoryStatus.FLAGGED}

    def test_people_of_a_group_are_told_apart(self, world: World) -> None:
        scope = group(world)
        bo_in_group = replace(GROUP, sender_id="bo", sender_name="Bo")
        tell(world, "I live in Porto", ref=GROUP, scope=scope)
        tell(world, "I moved to Lisbon", ref=bo_in_group, scope=scope)
        assert set(standing(world, scope).values()) == {MemoryStatus.ACTIVE}


class TestRepeats:
    def test_the_same_in_other_words_is_counted(self, world: World) -> None:
        tell(world, "I live in Porto", "I'm based in Porto")
        (memory,) = [memory for memory in world.memories() if memory.origin == Origin.USER]
        assert (memory.count, memory.revision) == (2, 1)
        assert len(world.core.library.describe([memory])[0].sources) == 2

    def test_more_detail_makes_a_revision(self, world: World) -> None:
        tell(world, "I work at Acme", "I work at Acme in Lisbon as a designer")
        (memory,) = [memory for memory in world.memories() if memory.origin == Origin.USER]
        assert (memory.text, memory.revision, memory.count) == ("I work at Acme in Lisbon as a designer", 2, 2)
        assert world.embedder.embedded[-1].endswith("as a designer") or any(
            "as a designer" in text for text in world.embedder.embedded
        )

    def test_a_new_display_name_makes_no_new_facts(self, world: World) -> None:
        tell(world, "My sister Marta lives in Porto")
        tell(world, "My sister Marta lives in Porto", ref=replace(ANA, sender_name="Ana of the North"))
        (memory,) = [memory for memory in world.memories() if memory.origin == Origin.USER]
        assert memory.count == 2

    def test_two_people_of_one_import_are_two(self, world: World) -> None:
        at = datetime(2025, 3, 1, 9, tzinfo=UTC)
        for number, name in enumerate(("Caro", "Mel")):
            line = ReplayedLine(
                number=number, ref=ANA, message_key=f"m{number}", at=at, role=Origin.USER, speaker=name,
                text="I really love the long hikes in the Gerês mountains",
            )  # fmt: skip
            world.core.capture.replay([line])
        world.consolidate()
        assert sorted(memory.speaker or "" for memory in world.memories()) == ["Caro", "Mel"]

    @pytest.mark.parametrize("name", ["Ana", "Ana of the North"])
    def test_what_was_forgotten_stays_forgotten_under_any_name(self, world: World, name: str) -> None:
        said_at = world.clock.now()
        tell(world, "My sister Marta lives in Porto")
        doomed = called(world, "My sister Marta lives in Porto")
        world.core.forgetting.forget([ANAS], Selection(memory_ids=(MemoryId(doomed.id),)))
        line = ReplayedLine(
            number=1, ref=ANA, message_key="m1", at=said_at, role=Origin.USER, speaker=name, text=doomed.text
        )
        world.core.capture.replay([line])
        world.consolidate()
        assert standing(world) == {}


class TestBareCorrections:
    def test_it_is_joined_with_what_was_said_before(self, world: World) -> None:
        tell(world, "The budget meeting is at 10:00 with Chidi", "no, it's 11:00", apart_s=30)
        assert standing(world) == {
            "The budget meeting is at 10:00 with Chidi": MemoryStatus.SUPERSEDED,
            "The budget meeting is at 11:00 with Chidi": MemoryStatus.ACTIVE,
        }
        assert called(world, "The budget meeting is at 11:00 with Chidi").kind == MemoryKind.CORRECTION

    def test_what_the_assistant_said_is_corrected_by_the_user(self, world: World) -> None:
        world.say("Anything today?", key="t1", answer="Your flight to Oslo leaves at 9:40 from gate B12.")
        world.clock.advance(seconds=10)
        world.say("No, it's 10:15", key="t2")
        world.consolidate()
        assert "My flight to Oslo leaves at 10:15 from gate B12." in standing(world)

    def test_in_another_session_it_corrects_nothing(self, world: World) -> None:
        tell(world, "The budget meeting is at 10:00", "no, it's 11:00", apart_s=9 * 3600)
        assert standing(world)["The budget meeting is at 10:00"] == MemoryStatus.ACTIVE


class TestTool:
    def test_the_decision_is_told_truly(self, world: World) -> None:
        scope = resolve_scope(ANA, world.core.settings.identity)
        decisions: list[Decision] = []
        for text in ("I live in Porto", "I live in Porto!", "I live in Porto near the river", "I moved to Lisbon"):
            decisions.append(world.core.storing.store(scope, StoreRequest(text=text)).outcome.decision)
            world.core.indexing.apply_due()
            world.clock.advance(seconds=60)
        assert decisions == [Decision.ADD, Decision.SKIP_DUPLICATE, Decision.UPDATE, Decision.SUPERSEDE]

    def test_in_a_group_only_ones_own_words_are_replaced(self, world: World) -> None:
        ana = resolve_scope(GROUP, world.core.settings.identity)
        bo = resolve_scope(replace(GROUP, sender_id="bo", sender_name="Bo"), world.core.settings.identity)
        hers = world.core.storing.store(ana, StoreRequest(text="I bring the cake")).outcome.memory
        about_bo = world.core.storing.store(ana, StoreRequest(text="Bo brings the chairs")).outcome.memory
        assert hers is not None
        assert about_bo is not None
        with pytest.raises(Forbidden, match="replaces"):
            world.core.storing.store(bo, StoreRequest(text="Nobody brings a cake", replaces=hers.kref))
        stored = world.core.storing.store(bo, StoreRequest(text="I bring the tables", replaces=about_bo.kref))
        assert stored.superseded == (about_bo.kref,)
        assert called(world, "I bring the cake", scope=group(world)).status == MemoryStatus.ACTIVE

    def test_a_stranger_replaces_nothing_of_another_scope(self, world: World) -> None:
        mine = resolve_scope(ANA, world.core.settings.identity)
        world.core.storing.store(mine, StoreRequest(text="I live in Porto"))
        world.core.indexing.apply_due()
        world.core.storing.store(
            resolve_scope(BO, world.core.settings.identity), StoreRequest(text="I moved to Lisbon")
        )
        assert standing(world) == {"I live in Porto": MemoryStatus.ACTIVE}


class TestProvenance:
    def test_a_memory_names_its_maker_and_its_job(self, world: World) -> None:
        world.say("My sister Marta lives in Porto", key="t1")
        job_id = world.core.capture.owe_now(ANAS)
        world.run_jobs()
        memory = called(world, "My sister Marta lives in Porto")
        assert (memory.job_id, (memory.made_by or "").split("@")[0]) == (job_id, "rules")

    def test_counts_tell_what_was_done(self, world: World) -> None:
        tell(world, "I live in Porto", "I work at Acme")
        for number, text in enumerate(("I moved to Lisbon", "I work at Acme in the old harbour", "I work at Acme!")):
            world.say(text, key=f"t{number}")
        result = world.core.consolidation.run(ANAS, through=1_000_000, on_batch=lambda _: None)
        assert (result.added, result.superseded, result.updated, result.flagged) == (1, 1, 1, 0)
