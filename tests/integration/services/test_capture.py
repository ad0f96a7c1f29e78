"""Turns on their way into the working buffer."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_core.capture.service import MAX_UTTERANCE_CHARS, CaptureStatus, LiveTurn, ReplayedLine
from memory_core.models.turn import Session, Turn
from memory_core.store.jobs import JobRepository
from memory_core.store.turns import TurnRepository
from memory_core.values import JobId, JobState, Origin, SessionRef, Trigger
from tests.integration.cores import ANA, ANAS, BO, BOS, GROUP, World, opened, pass_time

FACT = "My sister Marta lives in Porto"


def buffered(world: World) -> list[Turn]:
    with world.core.database.reading() as db:
        return TurnRepository(db).with_text([ANAS, BOS])


def line(number: int, text: str, **fields: object) -> ReplayedLine:
    whole = {
        "number": number,
        "ref": ANA,
        "message_key": f"m{number}",
        "at": datetime(2025, 3, 1, 9, number, tzinfo=UTC),
        "role": Origin.USER,
        "speaker": "Ana",
        "text": text,
    }
    return ReplayedLine(**(whole | fields))  # pyright: ignore[reportArgumentType] values of mixed types


class TestAccept:
    def test_a_turn_is_two_utterances_on_disk(self, world: World) -> None:
        captured = world.say(FACT, key="t1", answer="How nice.")
        assert (captured.status, captured.waiting, captured.scheduled) == (CaptureStatus.ACCEPTED, 2, False)
        rows = buffered(world)
        assert [(row.role, row.speaker, row.text) for row in rows] == [
            ("user", "Ana", FACT),
            ("assistant", None, "How nice."),
        ]
        assert {row.turn_key for row in rows} == {"t1"}
        assert {row.said_at for row in rows} == {world.clock.now()}

    def test_the_same_turn_again_adds_nothing(self, world: World) -> None:
        world.say(FACT, key="t1")
        again = world.say("other words", key="t1")
        assert (again.status, again.waiting) == (CaptureStatus.DUPLICATE, 2)
        assert len(buffered(world)) == 2

    def test_a_real_repeat_is_kept(self, world: World) -> None:
        world.say(FACT, key="t1")
        assert world.say(FACT, key="t2").waiting == 4

    def test_a_turn_key_counts_per_agent_session_key_and_person(self, world: World) -> None:
        for ref in (ANA, replace(ANA, agent_id="work"), replace(ANA, session_key="agent:main:other"), BO):
            assert world.say(FACT, key="t1", ref=ref).status is CaptureStatus.ACCEPTED

    def test_a_turn_is_still_known_after_it_was_consolidated_and_its_words_dropped(self, world: World) -> None:
        world.say(FACT, key="t1")
        world.consolidate()
        pass_time(world, hours=3)
        assert world.core.capture.drop_consolidated() == 2
        assert world.say(FACT, key="t1").status is CaptureStatus.DUPLICATE

    @pytest.mark.parametrize(
        ("user", "assistant"), [(FACT, ""), ("", "hello"), ("  \n", "hello"), (FACT, " \t "), ("", "")]
    )
    def test_half_a_turn_is_dropped(self, world: World, user: str, *, assistant: str) -> None:
        captured = world.say(user, key="t1", answer=assistant)
        assert (captured.status, captured.waiting) == (CaptureStatus.SKIPPED, 0)
        assert captured.reason
        assert buffered(world) == []

    @pytest.mark.parametrize("trigger", [trigger for trigger in Trigger if trigger is not Trigger.USER])
    def test_a_turn_that_no_person_began_is_dropped(self, world: World, trigger: Trigger) -> None:
        captured = world.say(FACT, key="t1", ref=replace(ANA, trigger=trigger))
        assert captured.status is CaptureStatus.SKIPPED
        assert captured.reason
        assert buffered(world) == []

    def test_someone_unknown_is_not_captured(self, world: World) -> None:
        captured = world.say(FACT, key="t1", ref=SessionRef(session_key="agent:main:main"))
        assert captured.status is CaptureStatus.SKIPPED
        assert "isn't known who" in (captured.reason or "")

    def test_media_are_kept_by_name(self, world: World) -> None:
        turn = LiveTurn(
            turn_key="t1",
            at=world.clock.now(),
            user_text="",
            assistant_text="A cat!",
            media=("cat.png", "a@b.example.com.txt"),
        )
        assert world.core.capture.accept(ANA, turn).status is CaptureStatus.ACCEPTED
        words = buffered(world)[0].text or ""
        assert "cat.png" in words
        assert "a@b.example.com" not in words

    def test_long_utterances_are_cut(self, world: World) -> None:
        world.say("tea " * 20_000, key="t1", answer="ok " * 20_000)
        assert all(len(row.text or "") <= MAX_UTTERANCE_CHARS for row in buffered(world))

    def test_what_the_gateway_put_around_the_words_is_not_kept(self, world: World) -> None:
        recalled = '<nightshift-memory trust="reference-data">\nnote\n- [2026-01-01] an old memory (kref://x/y/z.fact)\n</nightshift-memory>'
        for number in range(3):
            world.say(f"{recalled}\n{FACT}", key=f"t{number}")
        assert all("old memory" not in (row.text or "") for row in buffered(world))

    @pytest.mark.parametrize(
        ("secret", "text"),
        [
            ("marta@example.org", "Write to marta@example.org please"),
            ("AKIAIOSFODNN7EXAMPLE", "The key is AKIAIOSFODNN7EXAMPLE, keep it"),
            ("hunter2hunter2", "export DB_PASSWORD=hunter2hunter2"),
        ],
    )
    def test_nothing_secret_reaches_the_file(
        self, sqlite_world: World, tmp_path: Path, *, secret: str, text: str
    ) -> None:
        sqlite_world.say(text, key="t1", answer=f"Noted: {text}")
        sqlite_world.consolidate()
        written = b"".join(path.read_bytes() for path in tmp_path.glob("nightshift.sqlite3*"))
        assert b"Noted" in written
        assert secret.encode() not in written

    def test_a_secret_at_the_limit_is_masked_before_the_cut(self, world: World) -> None:
        key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA7bq\n" * 200 + "-----END RSA PRIVATE KEY-----"
        world.say("x " * ((MAX_UTTERANCE_CHARS - 600) // 2) + key, key="t1")
        assert "MIIEowIBAAKCAQEA" not in (buffered(world)[0].text or "")

    def test_switched_off_the_masking_of_personal_data_still_masks_secrets(self, tmp_path: Path) -> None:
        with opened(tmp_path, overrides={"piiRedaction": False}) as world:
            world.say("marta@example.org has AKIAIOSFODNN7EXAMPLE", key="t1")
            words = buffered(world)[0].text or ""
        assert "marta@example.org" in words
        assert "AKIA" not in words


class TestWorkOwed:
    def test_the_threshold_owes_one_job_and_later_turns_widen_it(self, world: World) -> None:
        results = [world.say(f"{FACT} {number}", key=f"t{number}").scheduled for number in range(13)]
        assert results == [False] * 9 + [True] * 4
        assert world.core.jobs.counts() == {"queued": 1}
        assert len(world.woken) == 4
        world.run_jobs()
        assert world.core.jobs.counts() == {"done": 1}
        assert world.say(FACT, key="last").waiting == 2

    def test_a_job_that_runs_and_covers_what_waits_is_not_owed_again(self, world: World) -> None:
        world.say(FACT, key="t1")
        first = world.core.capture.owe_now(ANAS)
        assert first is not None
        with world.core.database.transaction() as db:
            JobRepository(db).set(first, state=JobState.RUNNING)
        assert world.core.capture.owe_now(ANAS) == first
        world.say(FACT, key="t2")
        assert world.core.capture.owe_now(ANAS) != first

    def test_nothing_waiting_owes_nothing(self, world: World) -> None:
        assert world.core.capture.owe_now(ANAS) is None
        world.say(FACT, key="t1")
        world.consolidate()
        assert world.core.capture.owe_now(ANAS) is None
        assert world.core.jobs.counts() == {}

    def test_quiet_scopes_are_owed_lively_ones_are_not(self, world: World) -> None:
        world.say(FACT, key="t1")
        pass_time(world, seconds=200)
        world.say(FACT, key="t1", ref=BO)
        pass_time(world, seconds=101)
        assert world.core.capture.owe_idle() == 1
        assert world.core.capture.owe_idle() == 1
        assert world.core.jobs.counts() == {"queued": 1}
        world.run_jobs()
        assert (world.texts(ANAS), world.texts(BOS)) == ([FACT], [])
        assert world.core.capture.owe_idle() == 0

    def test_a_scope_whose_consolidation_just_failed_is_left_alone_for_a_while(self, world: World) -> None:
        world.say(FACT, key="t1")
        job = world.core.capture.owe_now(ANAS)
        with world.core.database.transaction() as db:
            JobRepository(db).set(
                JobId(job or ""), state=JobState.FAILED, ended_at=world.clock.now() + timedelta(seconds=400)
            )
        pass_time(world, seconds=400)
        assert world.core.capture.owe_idle() == 0
        pass_time(world, minutes=11)
        assert world.core.capture.owe_idle() == 1

    def test_ending_a_session_owes_what_waits(self, world: World) -> None:
        world.say(FACT, key="t1")
        world.core.capture.end_session(ANA)
        world.run_jobs()
        assert world.texts() == [FACT]

    def test_words_stay_until_the_session_is_quiet(self, world: World) -> None:
        world.say(FACT, key="t1")
        world.consolidate()
        assert world.core.capture.drop_consolidated() == 0
        pass_time(world, seconds=3601)
        assert world.core.capture.drop_consolidated() == 2
        assert buffered(world) == []

    def test_nothing_is_dropped_unconsolidated(self, world: World) -> None:
        world.say(FACT, key="t1")
        pass_time(world, days=30)
        assert world.core.capture.drop_consolidated() == 0


class TestSessions:
    def test_sessions_are_counted_by_the_day_of_the_speakers_zone(self, world: World) -> None:
        world.clock.set(datetime(2026, 5, 6, 22, 30, tzinfo=UTC))
        lisbon, utc = replace(ANA, timezone="Europe/Lisbon"), ANA
        labels = [world.core.capture.start_session(lisbon)]
        world.say(FACT, key="t1", ref=lisbon)
        assert world.core.capture.start_session(lisbon) == labels[0]
        world.core.capture.end_session(lisbon)
        labels.append(world.core.capture.start_session(lisbon))
        world.say(FACT, key="t2", ref=lisbon)
        world.core.capture.end_session(lisbon)
        world.clock.set(datetime(2026, 5, 6, 23, 30, tzinfo=UTC))
        labels += [world.core.capture.start_session(lisbon), world.core.capture.start_session(utc)]
        assert [label.split(":", 2)[2] for label in labels] == [
            "20260506:001",
            "20260506:002",
            "20260507:001",
            "20260506:003",
        ]

    def test_a_session_goes_on_across_channels_and_ends_with_quiet(self, world: World) -> None:
        owner = replace(ANA, is_owner=True)
        world.say(FACT, key="t1", ref=owner)
        first = world.core.capture.start_session(owner)
        pass_time(world, minutes=59)
        assert world.core.capture.start_session(replace(owner, channel="slack", sender_id="U1")) == first
        pass_time(world, minutes=2)
        assert world.core.capture.start_session(owner) != first

    def test_a_room_has_sessions_of_its_own(self, world: World) -> None:
        world.say(FACT, key="t1")
        world.say(FACT, key="t1", ref=GROUP)
        labels = {world.core.capture.start_session(ref).split(":")[0] for ref in (ANA, GROUP)}
        assert labels == {"guest-personal", "guest-room"}

    def test_someone_unknown_gets_a_label_and_no_session(self, world: World) -> None:
        label = world.core.capture.end_session(SessionRef(session_key="agent:main:main"))
        assert label.endswith(":000")
        with world.core.database.reading() as db:
            assert db.get(Session, 1) is None


class TestReplay:
    def test_lines_are_kept_in_order_and_marked_as_imported(self, world: World) -> None:
        lines = [line(1, FACT), line(2, "Noted", role=Origin.ASSISTANT, speaker=None), line(3, "Bye for now then")]
        replayed = world.core.capture.replay(lines)
        assert (replayed.captured, replayed.skipped) == (3, 0)
        rows = buffered(world)
        assert [row.turn_key for row in rows] == ["m1", "m2", "m3"]
        assert all(row.imported for row in rows)
        assert replayed.newest == {ANAS: rows[-1].id}

    def test_replaying_again_adds_nothing(self, world: World) -> None:
        world.core.capture.replay([line(1, FACT)])
        world.consolidate()
        again = world.core.capture.replay([line(1, FACT), line(2, "Something new was said")])
        assert (again.captured, again.skipped) == (1, 1)

    def test_a_key_that_comes_twice_in_one_file_counts_once(self, world: World) -> None:
        replayed = world.core.capture.replay([line(1, FACT), line(2, FACT, message_key="m1")])
        assert (replayed.captured, replayed.skipped) == (1, 1)

    def test_imports_open_no_live_session(self, world: World) -> None:
        world.core.capture.replay([line(1, FACT, at=world.clock.now())])
        world.say(FACT, key="t1")
        rows = buffered(world)
        assert len({row.session_id for row in rows}) == 2

    def test_lines_are_redacted_too(self, world: World) -> None:
        world.core.capture.replay([line(1, "Write to marta@example.org please")])
        assert "marta@example.org" not in (buffered(world)[0].text or "")

    def test_a_quiet_stretch_begins_a_new_session(self, world: World) -> None:
        day = datetime(2025, 3, 1, 9, tzinfo=UTC)
        lines = [line(number, FACT, at=day + timedelta(hours=2 * number)) for number in range(3)]
        world.core.capture.replay(lines)
        assert len({row.session_id for row in buffered(world)}) == 3


class TestManyWriters:
    def test_turns_that_arrive_at_once_are_all_kept(self, world: World) -> None:
        statuses = self._at_once(world, keys=[f"t{number}" for number in range(12)])
        assert statuses == [CaptureStatus.ACCEPTED] * 12
        assert len(buffered(world)) == 24
        assert len({row.session_id for row in buffered(world)}) <= 2

    def test_the_same_turn_at_once_is_kept_once(self, world: World) -> None:
        statuses = self._at_once(world, keys=["t1"] * 8)
        assert sorted(statuses) == [CaptureStatus.ACCEPTED] + [CaptureStatus.DUPLICATE] * 7
        assert len(buffered(world)) == 2

    @staticmethod
    def _at_once(world: World, *, keys: list[str]) -> list[CaptureStatus]:
        barrier = threading.Barrier(len(keys))
        statuses: list[CaptureStatus] = []

        def capture(key: str) -> None:
            barrier.wait(20)
            statuses.append(world.say(f"{FACT} {key}", key=key).status)

        threads = [threading.Thread(target=capture, args=(key,)) for key in keys]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        return statuses
