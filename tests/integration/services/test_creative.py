"""Made things over real tables: kept once, in order, by scope; found, compared, published, forgotten."""

import threading
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.errors import Invalid, NotFound, Unavailable
from memory_core.forgetting.service import Selection
from memory_core.identity import parts_shelf
from memory_core.recall.finding import Question
from memory_core.recall.service import RecallRequest
from memory_core.store.jobs import JobRepository
from memory_core.store.links import LinkRepository
from memory_core.store.revisions import RevisionRepository
from memory_core.values import JobState, LinkKind, MemoryId, MemoryKind, SessionRef, Trigger
from tests.integration.cores import ANA, ANAS, BO, BOS, World, opened
from tests.integration.services.captures import (
    PROTOCOL,
    capture,
    forget,
    found,
    kept,
    listed,
    parts,
    request,
    scope_of,
    state,
    stored,
)


@pytest.fixture
def world(tables_url: str, tmp_path: Path) -> Generator[World]:
    """A world on each of the databases, whose contents may lie in it; on PostgreSQL they do."""
    with opened(tmp_path, url=tables_url, overrides={"privacy.uploadSummariesOnly": "off"}) as found:
        yield found


def test_a_capture_becomes_item_revision_memory_and_edges(world: World) -> None:
    source = world.remember("The dome shutter of the observatory jams in strong wind.", key="t1")
    accepted = capture(world, request(source_kref=source.kref, tags=("dome", "safety")))
    assert (accepted.title, accepted.space) == ("Shutter protocol", "dome-control")
    assert state(world, accepted).state is JobState.QUEUED
    assert world.woken
    world.run_jobs()
    done = state(world, accepted)
    assert done.item_kref == "kref://observatory/dome-control/shutter-protocol.design"
    assert done.revision_kref == f"{done.item_kref}?r=1"
    assert done.is_new_revision
    memory = world.core.library.get(done.memory_kref or "", scopes=[ANAS]).memory
    assert (memory.kind, memory.tags, memory.origin) == ("artifact", ["dome", "safety"], "assistant")
    for word in ("Shutter protocol", "design", "observatory", "dome-control", "Close the shutter"):
        assert word in memory.text
    opened = world.core.creative.opened([ANAS], done.item_kref)
    assert opened.content == PROTOCOL
    assert [(one.kref, one.steps) for one in opened.sources] == [(source.kref, 1)]
    with world.core.database.reading() as db:
        kinds = {link.kind for link in LinkRepository(db).of([opened.view.revision.id], scopes=[ANAS])}
    assert kinds == {LinkKind.MENTIONS, LinkKind.DERIVED_FROM}


def test_the_same_title_project_and_kind_make_the_next_revision(world: World) -> None:
    first = kept(world)
    second = kept(world, request("Close the shutter at ten metres a second.", title="  shutter   PROTOCOL "))
    other_kind = kept(world, request("A poem about shutters.", kind="poem"))
    assert second.item_kref == first.item_kref
    assert second.revision_kref == f"{first.item_kref}?r=2"
    assert second.memory_kref == first.memory_kref
    assert other_kind.revision_kref == "kref://observatory/dome-control/shutter-protocol.poem?r=1"
    memory = world.core.library.get(first.memory_kref or "", scopes=[ANAS]).memory
    assert "ten metres" in memory.text
    with world.core.database.reading() as db:
        assert [row.state["text"].split("begins: ")[1][:9] for row in RevisionRepository(db).of(memory.id)] == [
            "Close the"
        ]
    assert world.core.creative.opened([ANAS], f"{first.item_kref}?r=1").content == PROTOCOL
    assert world.core.creative.opened([ANAS], first.item_kref or "").view.revision.revision == 2


def test_identical_content_makes_no_revision_and_says_so(world: World) -> None:
    first = kept(world)
    again = kept(world, request(tags=("kept twice",)))
    assert not again.is_new_revision
    assert (again.item_kref, again.revision_kref, again.memory_kref) == (
        first.item_kref,
        first.revision_kref,
        first.memory_kref,
    )
    assert listed(world)[0].artifact.tags == ["kept twice"]
    assert len(stored(world)) == 1


def test_what_was_before_the_last_revision_is_a_revision_again(world: World) -> None:
    kept(world)
    kept(world, request("Another wording."))
    assert kept(world).revision_kref == "kref://observatory/dome-control/shutter-protocol.design?r=3"


def test_a_job_that_was_killed_before_it_could_say_that_it_is_done_changes_nothing(world: World) -> None:
    accepted = capture(world, request())
    assert accepted.job_id
    world.core.jobs.run(accepted.job_id)
    with world.core.database.transaction() as db:
        JobRepository(db).set(accepted.job_id, state=JobState.RUNNING, result=None)
    world.core.jobs.run(accepted.job_id)
    assert state(world, accepted).is_new_revision
    assert world.core.jobs.run(accepted.job_id) is None
    assert [view.revision.revision for view in listed(world)] == [1]
    assert (len(parts(world)), len(world.memories())) == (1, 1)


def test_revisions_are_made_in_the_order_of_asking(world: World) -> None:
    asked = [capture(world, request(f"Wording number {number}.")) for number in range(4)]
    for accepted in reversed(asked):
        assert accepted.job_id
        world.core.jobs.run(accepted.job_id)
    krefs = [state(world, accepted).revision_kref or "" for accepted in asked]
    assert [kref[-1] for kref in krefs] == ["1", "2", "3", "4"]
    assert world.core.creative.opened([ANAS], krefs[0].split("?")[0]).content == "Wording number 3."
    assert all(state(world, accepted).is_new_revision for accepted in asked)


def test_captures_that_run_at_once_are_each_kept_once(world: World) -> None:
    asked = [capture(world, request(f"Wording number {number}.", title=f"Plan {number % 5}")) for number in range(20)]
    threads = [threading.Thread(target=world.core.jobs.run, args=(accepted.job_id,)) for accepted in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    states = [state(world, accepted) for accepted in asked]
    assert {one.state for one in states} == {JobState.DONE}
    assert len({one.revision_kref for one in states}) == 20
    assert sorted(view.revision.revision for view in listed(world)) == [4] * 5
    assert len(parts(world)) == 5


def test_another_scope_sees_nothing_of_it(world: World) -> None:
    mine = kept(world)
    theirs = kept(world, request("Bo's own protocol.\n"), ref=BO)
    assert mine.item_kref == theirs.item_kref
    assert world.core.creative.opened([BOS], theirs.item_kref or "").content == "Bo's own protocol.\n"
    assert world.core.creative.opened([ANAS], mine.item_kref or "").content == PROTOCOL
    assert [view.revision.revision for view in listed(world, BOS)] == [1]
    accepted = capture(world, request("Only Ana's.", title="Diary"))
    with pytest.raises(NotFound, match="jobId"):
        state(world, accepted, ref=BO)
    world.run_jobs()
    with pytest.raises(NotFound):
        world.core.creative.opened([BOS], state(world, accepted).item_kref or "")
    assert found(world, "Ana's diary", scope=BOS)[0].artifact.title == "Shutter protocol"


@pytest.mark.parametrize(
    "ref", [replace(ANA, sender_id=None, sender_name=None), replace(ANA, trigger=Trigger.SUBAGENT)]
)
def test_without_a_scope_to_write_nothing_is_kept(world: World, ref: SessionRef) -> None:
    accepted = world.core.capturing.capture(scope_of(world, ref), request())
    assert accepted.job_id is None
    assert accepted.reason
    assert stored(world) == []


@pytest.mark.parametrize("source", ["kref://a/b/c.design", "no-such-id", "kref://broken"])
def test_an_unknown_source_is_refused_at_once(world: World, source: str) -> None:
    with pytest.raises(Invalid, match=r"^sourceMemoryKref: "):
        capture(world, request(source_kref=source))
    assert stored(world) == []


def test_a_source_of_another_scope_is_unknown(world: World) -> None:
    secret = world.remember("Bo keeps a spare key under the blue pot.", key="t1", ref=BO)
    with pytest.raises(Invalid, match="sourceMemoryKref"):
        capture(world, request(source_kref=secret.kref))


def test_secrets_and_personal_data_are_gone_before_anything_is_written(world: World) -> None:
    code = (
        'token = get_token()\ndef login(password: str) -> bool: ...\nAPI = "sk-proj-9dK2mQ8vX4tR7wL1zP5nB3cY6hJ0gF"\n'
    )
    done = kept(
        world, request(code + "# ask ana.lima@mail.example\n", title="Login by ana.lima@mail.example", kind="code")
    )
    opened = world.core.creative.opened([ANAS], done.item_kref or "")
    assert "token = get_token()\ndef login(password: str) -> bool: ..." in opened.content
    written = opened.content + opened.view.artifact.title + "".join(memory.text for memory in world.memories())
    assert "sk-proj" not in written
    assert "ana.lima" not in written + (done.item_kref or "")


def test_automatic_recall_meets_the_mention_and_no_passage(world: World) -> None:
    kept(world, request("\n\n".join(f"The shutter rule {n}: close it in wind above {n} metres." for n in range(80))))
    world.core.indexing.apply_due()
    assert len(parts(world)) > 2
    shelves = {point.scope for point in world.index.points.values()}
    assert shelves == {ANAS, parts_shelf(ANAS)}
    recalled = world.core.recall.recall(
        ANA,
        RecallRequest(message="When do we close the shutter in wind?", at=world.clock.now(), top_k=50, threshold=0.0),
    )
    assert [hit.memory.part for hit in recalled.found] == [None]
    searched = world.core.finder.rank(
        [ANAS],
        Question(text="close the shutter in wind", at=world.clock.now(), zone="UTC", kind=MemoryKind.ARTIFACT),
    )
    assert len(searched) > 2


def test_a_statement_of_the_same_words_is_a_memory_of_its_own(world: World) -> None:
    kept(world, request("The spare crank is behind the red cabinet."))
    said = world.remember("The spare crank is behind the red cabinet.", key="t1")
    assert said.kind != MemoryKind.ARTIFACT


def test_two_revisions_are_compared_and_any_is_read(world: World) -> None:
    kref = kept(world).item_kref or ""
    kept(world, request(PROTOCOL.replace("twelve", "ten")))
    opened = world.core.creative.opened([ANAS], f"{kref}?r=1..2")
    assert (opened.difference or "").splitlines() == [
        "--- r=1",
        "+++ r=2",
        "@@ -1,3 +1,3 @@",
        "-Close the shutter when the wind passes twelve metres a second.",
        "+Close the shutter when the wind passes ten metres a second.",
        " ",
        " Open it again after ten calm minutes.",
    ]
    with pytest.raises(NotFound, match="its last one is 2"):
        world.core.creative.opened([ANAS], f"{kref}?r=3")


def test_lineage_leads_both_ways_over_several_steps(world: World) -> None:
    seed = world.remember("The visitors of the observatory ask for a night tour.", key="t1")
    draft = kept(world, request("Tour draft.", title="Tour draft", source_kref=seed.kref))
    plan = kept(world, request("Tour plan.", title="Tour plan", source_kref=draft.revision_kref))
    poster = kept(world, request("Tour poster.", title="Tour poster", source_kref=plan.memory_kref))
    opened = world.core.creative.opened([ANAS], poster.item_kref or "")
    assert [(one.kref, one.steps) for one in opened.sources] == [
        (plan.revision_kref, 1),
        (draft.revision_kref, 2),
        (seed.kref, 3),
    ]
    opened = world.core.creative.opened([ANAS], draft.item_kref or "")
    assert [(one.kref, one.steps) for one in opened.derived] == [(plan.revision_kref, 1), (poster.revision_kref, 2)]


def test_publishing_pins_a_revision_and_what_mentions_it(world: World) -> None:
    kref = kept(world, request(tags=("dome",))).item_kref or ""
    kept(world, request("A later wording."))
    assert world.core.creative.publish(f"{kref}?r=1", scopes=None, published=True).artifact.published == 1
    memory = world.core.library.get(kref, scopes=[ANAS]).memory
    assert (memory.pinned, memory.tags) == (True, ["dome", "published"])
    world.core.creative.publish(kref, scopes=[ANAS], published=False)
    memory = world.core.library.get(kref, scopes=[ANAS]).memory
    assert (memory.pinned, memory.tags) == (False, ["dome"])
    with pytest.raises(NotFound):
        world.core.creative.publish(kref, scopes=[BOS], published=True)
    with pytest.raises(NotFound):
        world.core.creative.publish(f"{kref}?r=9", scopes=None, published=True)


def test_a_capture_waits_while_the_embedder_is_away(world: World) -> None:
    accepted = capture(world, request())
    assert accepted.job_id
    world.embedder.away = "the embedder starts"
    with pytest.raises(Unavailable):
        world.core.jobs.run(accepted.job_id)
    assert state(world, accepted).state is JobState.RUNNING
    assert listed(world) == []
    world.embedder.away = None
    world.core.jobs.run(accepted.job_id)
    assert state(world, accepted).state is JobState.DONE


def test_forgetting_takes_revisions_files_passages_and_edges(world: World) -> None:
    source = world.remember("The shutter of the dome jams.", key="t1")
    first = kept(world, request(source_kref=source.kref))
    kept(world, request("A later wording."))
    others = kept(world, request(), ref=BO)
    accepted = capture(world, request("A wording that still waits."))
    receipt = forget(world, first.item_kref)
    assert (receipt.artifacts, receipt.memories, receipt.krefs) == (1, 1, (first.memory_kref,))
    assert receipt.vectors == 2
    assert listed(world) == parts(world) == []
    assert len(stored(world)) == 1  # Bo has the same words
    assert world.core.creative.opened([BOS], others.item_kref or "").content == PROTOCOL
    with world.core.database.reading() as db:
        assert LinkRepository(db).of([source.id], scopes=[ANAS]) == []
    with pytest.raises(NotFound):
        world.run_jobs()
    assert state(world, accepted).error == "it was forgotten before it was kept"
    assert listed(world) == []
    again = kept(world, request("A new statement."))
    assert again.revision_kref == f"{first.item_kref}?r=1"


def test_forgetting_a_source_leaves_what_was_made_from_it(world: World) -> None:
    source = world.remember("The shutter of the dome jams.", key="t1")
    done = kept(world, request(source_kref=source.kref))
    world.core.forgetting.forget([ANAS], Selection(memory_ids=(MemoryId(source.id),)))
    opened = world.core.creative.opened([ANAS], done.item_kref or "")
    assert (opened.content, list(opened.sources)) == (PROTOCOL, [])
