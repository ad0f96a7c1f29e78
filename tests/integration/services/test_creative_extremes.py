"""Made things out of the ordinary: very long, oddly named, tried again after a failure, or with tables elsewhere."""

from pathlib import Path

import pytest

from memory_core.creative.passages import MAX_PASSAGES
from memory_core.errors import Conflict, Corrupt, Invalid, NotFound
from memory_core.jobs.service import MAX_ATTEMPTS
from memory_core.values import JobState
from tests.integration.cores import ANAS, World, opened, pass_time
from tests.integration.services.captures import PROTOCOL, capture, found, kept, listed, parts, request, state


def test_a_long_content_is_found_by_a_passage_in_its_middle(sqlite_world: World) -> None:
    world = sqlite_world
    filler = [
        f"Paragraph {number} tells how the motor of segment {number} is greased in winter." for number in range(200)
    ]
    filler[120] = "The emergency crank hangs behind the red cabinet in the pump room."
    kept(world, request("\n\n".join(filler), title="Handbook"))
    kept(world)
    best = found(world, "emergency crank behind the red cabinet")[0]
    assert best.artifact.title == "Handbook"
    assert "emergency crank" in best.excerpt
    pieces = parts(world)
    assert 10 < len(pieces) < MAX_PASSAGES
    assert all(len(piece.text) <= 1100 for piece in pieces)


def test_a_huge_content_keeps_a_bounded_number_of_passages(sqlite_world: World) -> None:
    words = " ".join(f"word{number % 977}" for number in range(700_000))
    content = words[: 5 * 1024 * 1024 - 10]
    done = kept(sqlite_world, request(content, title="Flood"))
    assert sqlite_world.core.creative.opened([ANAS], done.item_kref or "").content == content
    assert len(parts(sqlite_world)) == MAX_PASSAGES


def test_a_content_of_more_than_five_megabytes_is_refused(sqlite_world: World) -> None:
    with pytest.raises(Invalid, match="content: must be at most 5242880 bytes"):
        capture(sqlite_world, request("ä" * (5 * 1024 * 1024 // 2 + 1)))


def test_a_failed_capture_says_why_and_can_be_tried_again(sqlite_world: World) -> None:
    world = sqlite_world
    accepted = capture(world, request())
    file = next(world.core.settings.artifact_folder.glob("??/*"))
    whole = file.read_bytes()
    file.write_bytes(b"something else")
    assert accepted.job_id
    with pytest.raises(Corrupt):
        world.core.jobs.run(accepted.job_id)
    failed = state(world, accepted)
    assert failed.state is JobState.FAILED
    assert "changed behind our back" in (failed.error or "")
    file.write_bytes(whole)
    assert world.core.jobs.retry(accepted.job_id).state == JobState.QUEUED
    world.run_jobs()
    assert state(world, accepted).state is JobState.DONE
    with pytest.raises(Conflict, match="can't be tried again"):
        world.core.jobs.retry(accepted.job_id)


def test_a_retried_job_gets_a_flow_run_of_its_own(sqlite_world: World) -> None:
    world = sqlite_world
    accepted = capture(world, request())
    assert accepted.job_id
    world.core.jobs.submit_owed()
    world.engine.move(world.engine.submissions[0].run_id, JobState.FAILED)
    next(world.core.settings.artifact_folder.glob("??/*")).unlink()
    with pytest.raises(NotFound):
        world.core.jobs.run(accepted.job_id)
    world.core.jobs.retry(accepted.job_id)
    world.core.jobs.submit_owed()
    assert len({one.run_id for one in world.engine.submissions}) == 2
    assert state(world, accepted).attempts == 2


def test_a_retry_on_request_gives_a_job_as_many_tries_again(sqlite_world: World) -> None:
    world = sqlite_world
    accepted = capture(world, request())
    assert accepted.job_id

    def let_every_run_fail() -> None:
        world.core.jobs.submit_owed()
        while state(world, accepted).state is not JobState.FAILED:
            world.engine.move(world.engine.submissions[-1].run_id, JobState.FAILED)
            pass_time(world, minutes=1)
            assert world.core.jobs.look_after() == 1

    let_every_run_fail()
    assert state(world, accepted).attempts == MAX_ATTEMPTS
    world.core.jobs.retry(accepted.job_id)
    let_every_run_fail()
    assert state(world, accepted).attempts == 2 * MAX_ATTEMPTS
    assert len(world.engine.submissions) == 2 * MAX_ATTEMPTS
    world.core.jobs.retry(accepted.job_id)
    world.core.jobs.run(accepted.job_id)
    assert state(world, accepted).state is JobState.DONE


@pytest.mark.parametrize(
    "title", ["a/b: c?d#e", "🙂🙂", "観測所の計画", "", "   ", "x" * 10_000, "..", "кирил́лица", "a\tb\nc"]
)
def test_every_odd_title_gets_an_address_that_leads_back(sqlite_world: World, title: str) -> None:
    done = kept(sqlite_world, request("First line of it.\nMore.", title=title))
    opened = sqlite_world.core.creative.opened([ANAS], done.item_kref or "")
    assert opened.content.startswith("First line")
    assert opened.view.artifact.title == (title.strip() or "First line of it.")


def test_titles_that_reduce_to_one_slug_stay_apart(sqlite_world: World) -> None:
    titles = ["A/B", "A-B", "A B!", "A?B", "a b"]
    krefs = [kept(sqlite_world, request(f"Of {title}", title=title)).item_kref for title in titles]
    assert len(set(krefs)) == len(titles)
    assert krefs[0] == "kref://observatory/dome-control/a-b.design"
    again = [kept(sqlite_world, request(f"Again of {title}", title=title)).item_kref for title in titles]
    assert again == krefs


def test_of_tables_that_are_elsewhere_only_statements_are_told(tables_url: str, tmp_path: Path) -> None:
    overrides = {"qdrant.url": "http://127.0.0.1:1"}  # as a configured server of vectors: not this machine's own
    with opened(tmp_path, url=tables_url, overrides=overrides) as world:
        done = kept(world)
        memory = world.core.library.get(done.memory_kref or "", scopes=[ANAS]).memory
        assert memory.text == '"Shutter protocol" is a design kept in project observatory, space dome-control.'
        assert parts(world) == []
        assert listed(world)[0].excerpt == ""
        assert len(list(tmp_path.glob("artifacts/??/*"))) == 1
        assert world.core.creative.opened([ANAS], done.item_kref or "").content == PROTOCOL
