"""`memory_forget` on the wire: what a wish means, what is shown, what may be taken, and the receipt."""

from pathlib import Path
from typing import Any

import pytest

from plugin.backup import back_up
from plugin.copies import note_export
from tests.integration.cores import ANAS
from tests.integration.service.server import ANA, SECRET_WORDS, Service

OWNER = {**ANA, "senderId": "o", "senderName": "Olga", "isOwner": True}
GROUP = {**ANA, "sessionKey": "agent:main:signal:group:1", "chatType": "group", "chatId": "1"}
BO_IN_GROUP = {**GROUP, "senderId": "bo", "senderName": "Bo"}
CHILD = {**ANA, "sessionKey": "agent:main:subagent:5f", "trigger": "subagent", "parentSessionKey": "agent:main:main"}
TEA, COFFEE, COCOA = "Marta likes green tea", "Marta likes black coffee", "Marta likes hot cocoa"


def texts(service: Service, session: Any = ANA) -> list[str]:
    listed = service.tool("memory_list", session, limit=200)["details"]["memories"]
    return sorted(memory["text"] for memory in listed)


def forget(service: Service, session: Any = ANA, **arguments: Any) -> dict[str, Any]:
    reply = service.tool("memory_forget", session, **arguments)
    assert not reply["isError"], reply["text"]
    return reply["details"]


def keep(service: Service, content: str, *, title: str, session: Any = ANA) -> str:
    wanted = {"title": title, "content": content, "creativeProject": "p", "project": "s", "kind": "note"}
    job = service.tool("creative_capture", session, **wanted)["details"]["jobId"]
    service.world.run_jobs()
    return service.tool("creative_job_status", session, jobId=job)["details"]["itemKref"]


class TestByNumber:
    @pytest.fixture
    def preview(self, service: Service) -> dict[str, Any]:
        for text in (TEA, COFFEE, COCOA):
            service.remember(text)
        return forget(service, query="What does Marta like?")

    @pytest.mark.parametrize("ref", ["2", " #2", "2."])
    def test_one_of_what_was_shown_is_taken(self, service: Service, preview: dict[str, Any], *, ref: str) -> None:
        second = preview["preview"][1]["text"]
        done = forget(service, previewId=preview["previewId"], refs=[ref], confirm=True)
        assert (done["forgotten"], done["matched"]) == (1, 1)
        assert texts(service) == sorted({TEA, COFFEE, COCOA} - {second})

    def test_the_text_counts_what_it_shows(self, service: Service) -> None:
        service.remember(TEA)
        shown = service.tool("memory_forget", query="Marta tea")["text"]
        assert f"\n1. {TEA} (kref://" in shown

    @pytest.mark.parametrize(("ref", "named"), [("0", "1 to 3"), ("4", "1 to 3"), ("two", "two")])
    def test_a_number_that_was_not_shown_is_an_error_and_takes_nothing(
        self, service: Service, preview: dict[str, Any], *, ref: str, named: str
    ) -> None:
        reply = service.tool("memory_forget", previewId=preview["previewId"], refs=[ref], confirm=True)
        assert reply["isError"]
        assert named in reply["text"]
        assert len(texts(service)) == 3
        assert forget(service, previewId=preview["previewId"], refs=["1"], confirm=True)["forgotten"] == 1

    def test_addresses_of_what_was_shown_do_as_well(self, service: Service, preview: dict[str, Any]) -> None:
        kref = preview["preview"][0]["kref"]
        assert forget(service, previewId=preview["previewId"], refs=[kref], confirm=True)["forgotten"] == 1

    def test_an_address_that_was_not_shown_is_an_error(self, service: Service, preview: dict[str, Any]) -> None:
        other = service.remember("The harbour is closed")["kref"]
        reply = service.tool("memory_forget", previewId=preview["previewId"], refs=[other], confirm=True)
        assert reply["isError"]
        assert len(texts(service)) == 4

    def test_a_number_without_a_preview_means_nothing(self, service: Service) -> None:
        service.remember(TEA)
        assert service.tool("memory_forget", refs=["1"], confirm=True)["isError"]
        assert texts(service) == [TEA]


def test_a_preview_shows_what_is_meant_rather_than_whatever_is_nearest(service: Service) -> None:
    for number in range(12):
        service.remember(f"Dome motor {number} hums at night")
    service.remember(TEA)
    preview = forget(service, query="Marta's green tea")
    assert [memory["text"] for memory in preview["preview"]] == [TEA]


def test_what_goes_with_it_is_counted_before_and_after(service: Service) -> None:
    service.turn(
        "My locker code word is heliotrope",
        key="t1",
        assistant={"text": "Noted, your locker code word is heliotrope. The gym opens at seven in the morning."},
    )
    service.world.consolidate()
    kref = next(one["kref"] for one in service.tool("memory_list")["details"]["memories"] if one["origin"] == "user")
    preview = forget(service, refs=[kref])
    done = forget(service, refs=[kref], previewId=preview["previewId"], confirm=True)
    assert (preview["derived"], preview["buffered"], preview["vectors"]) == (done["derived"], 2, 0)
    assert (done["forgotten"], done["buffered"]) == (1, 2)
    assert "heliotrope" not in " ".join(texts(service))


def test_a_receipt_holds_no_word_of_what_is_gone(service: Service) -> None:
    service.remember(f"The {SECRET_WORDS} bridge is closed")
    keep(service, f"About {SECRET_WORDS}.", title=f"On {SECRET_WORDS}")
    reply = service.tool("memory_forget", query=SECRET_WORDS, confirm=True)
    assert SECRET_WORDS not in str(reply).lower()
    assert (reply["details"]["forgotten"], reply["details"]["artifacts"]) == (2, 1)
    assert reply["details"]["at"]


def test_a_subagent_forgets_nothing(service: Service) -> None:
    kref = service.remember(TEA)["kref"]
    wishes: tuple[dict[str, Any], ...] = ({"refs": [kref]}, {"query": TEA})
    for arguments in wishes:
        reply = service.tool("memory_forget", CHILD, confirm=True, **arguments)
        assert "subagent" in reply["text"]
        assert reply["details"]["forgotten"] == 0
    assert texts(service) == [TEA]


def test_everything_about_me_is_all_of_it(service: Service) -> None:
    service.remember(TEA)
    keep(service, "A plan.", title="Plan")
    service.turn("I like the sea in winter", key="waits")
    waiting: dict[str, Any] = {
        "title": "Later",
        "content": "Waits.",
        "creativeProject": "p",
        "project": "s",
        "kind": "note",
    }
    job = service.tool("creative_capture", **waiting)["details"]["jobId"]
    done = forget(service, person="me", confirm=True)
    assert (done["forgotten"], done["artifacts"], done["buffered"]) == (2, 1, 2)
    assert texts(service) == []
    assert service.world.core.forgetting.buffered([ANAS]) == []
    assert service.tool("creative_recall", space="s", creativeProject="p")["details"]["items"] == []
    assert service.world.core.jobs.get(job).state == "queued"
    assert not list(service.world.core.settings.artifact_folder.glob("??/*"))


class TestInAGroup:
    def test_answers_to_somebody_go_with_what_they_said(self, service: Service) -> None:
        service.turn("I like the sea in winter", key="t1", session=BO_IN_GROUP)
        service.turn("The ferry leaves at nine", key="t2", session=GROUP)
        assert forget(service, BO_IN_GROUP, person="me", confirm=True)["buffered"] == 2

    def test_a_work_of_somebody_else_stays_though_it_names_one(self, service: Service) -> None:
        kref = keep(service, "Bo brings the oars.", title="Trip", session=GROUP)
        wishes: tuple[dict[str, Any], ...] = ({"refs": [kref]}, {"query": "oars"}, {"person": "me"})
        for arguments in wishes:
            assert forget(service, BO_IN_GROUP, confirm=True, **arguments)["artifacts"] == 0
        assert forget(service, GROUP, query="oars", confirm=True)["artifacts"] == 1

    def test_what_stays_because_it_is_somebody_elses_is_told(self, service: Service) -> None:
        kref = service.remember(TEA, session=GROUP)["kref"]
        reply = service.tool("memory_forget", BO_IN_GROUP, refs=[kref], confirm=True)
        assert (reply["details"]["forgotten"], reply["details"]["refused"]) == (0, 1)
        assert "1 of those named stay" in reply["text"]
        assert texts(service, GROUP) == [TEA]


class TestBackups:
    @pytest.fixture
    def path(self, service: Service, *, tmp_path: Any) -> str:
        target = tmp_path / "safe.backup"
        back_up(service.world.core.settings, target)
        return str(target)

    def test_the_owner_is_told_where_they_are(self, service: Service, path: str) -> None:
        service.remember(TEA, session=OWNER)
        done = forget(service, OWNER, query=TEA, confirm=True)
        assert done["backups"] == [path]

    def test_exported_files_are_told_as_well_while_they_are_there(self, service: Service, tmp_path: Path) -> None:
        target, home = tmp_path / "all.jsonl", service.world.core.settings.home
        target.write_text("{}", encoding="utf-8")
        note_export(home, target)
        note_export(tmp_path / "nowhere", target)
        service.remember(TEA, session=OWNER)
        assert forget(service, OWNER, query=TEA, confirm=True)["exports"] == [str(target)]
        service.remember(TEA)
        assert forget(service, query=TEA, confirm=True)["exports"] == 1
        target.unlink()
        service.remember(COFFEE, session=OWNER)
        assert "exports" not in forget(service, OWNER, query=COFFEE, confirm=True)

    @pytest.mark.usefixtures("path")
    def test_others_are_told_how_many(self, service: Service) -> None:
        service.remember(TEA)
        assert forget(service, query=TEA, confirm=True)["backups"] == 1
        assert "backups" not in forget(service, query=TEA, confirm=True)
