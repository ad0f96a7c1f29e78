"""Dream runs on the wire: the tool, the reports, undo, the schedule."""

from datetime import datetime
from typing import Any

import pytest

from memory_core.errors import Unavailable
from tests.integration.service.server import ANA, BO, NOBODY, SECRET_WORDS, Service

OWNER = {"sessionKey": "agent:main:main", "isOwner": True, "chatType": "direct", "timezone": "UTC"}
GROUP = {**ANA, "sessionKey": "agent:main:signal:group:1", "chatType": "group", "chatId": "1"}
OLD, NEW = f"The {SECRET_WORDS} ladder is in the cellar.", f"The {SECRET_WORDS} ladder is behind the barn now."


def plant(service: Service) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two memories of Ana, the newer of which replaces the older; stored side by side, as an older version did."""
    old = service.remember(OLD)
    service.world.clock.advance(minutes=1)
    new = service.remember(NEW)
    return old, new


def run(service: Service, **arguments: Any) -> str:
    """Do a run through the tool, as the owner; returns its id."""
    details = service.tool("memory_dream", OWNER, **arguments)["details"]
    service.world.run_jobs()
    return details["runId"]


def report(service: Service, run_id: str) -> dict[str, Any]:
    answer = service.client.get(f"/v1/dream-runs/{run_id}")
    assert answer.status_code == 200, answer.text
    return answer.json()


class TestTool:
    def test_it_answers_with_a_job_and_a_run(self, service: Service) -> None:
        reply = service.tool("memory_dream", OWNER)
        assert set(reply["details"]) == {"jobId", "state", "runId"}
        assert reply["details"]["state"] == "queued"
        assert report(service, reply["details"]["runId"])["state"] == "queued"
        again = service.tool("memory_dream", OWNER, dryRun=True)
        assert again["details"]["jobId"] == reply["details"]["jobId"]

    def test_somebody_else_gets_a_run_over_the_own_memory(self, service: Service) -> None:
        plant(service)
        job_id = service.tool("memory_dream", BO)["details"]["jobId"]
        service.world.run_jobs()
        assert report(service, job_id)["reviewed"] == 0

    def test_in_a_group_only_the_owner_may(self, service: Service) -> None:
        reply = service.tool("memory_dream", GROUP)
        assert reply["details"]["jobId"] is None
        assert "owner" in reply["text"]
        assert service.tool("memory_dream", {**GROUP, "isOwner": True})["details"]["jobId"]

    def test_nobody_and_a_subagent_get_none(self, service: Service) -> None:
        subagent = {**OWNER, "sessionKey": "agent:main:subagent:1", "parentSessionKey": "agent:main:main"}
        for session in (NOBODY, {**subagent, "trigger": "subagent"}):
            reply = service.tool("memory_dream", session)
            assert (reply["isError"], reply["details"]["jobId"]) == (False, None)

    def test_waiting_gives_the_result(self, service: Service) -> None:
        job_id = service.tool("memory_dream", OWNER)["details"]["jobId"]
        service.world.run_jobs()
        waited = service.client.get(f"/v1/jobs/{job_id}").json()
        assert (waited["state"], waited["result"]["runId"]) == ("done", job_id)
        assert SECRET_WORDS not in str(waited)


class TestReports:
    def test_every_change_has_address_reason_before_and_after(self, service: Service) -> None:
        old, new = plant(service)
        found = report(service, run(service))
        assert {"id", "state", "dryRun", "reviewed", "changes", "counts", "tokens", "calls"} <= set(found)
        (change,) = [one for one in found["changes"] if one["op"] == "supersede"]
        assert change["kref"] == old["kref"]
        assert change["before"] == {"text": OLD, "status": "active"} | {
            name: change["before"][name] for name in ("supersededBy", "validUntil")
        }
        assert change["after"]["status"] == "superseded"
        assert change["after"]["supersededBy"] == new["kref"]
        assert change["reason"]
        for one in found["changes"]:
            assert {"op", "kref", "reason", "before", "after"} <= set(one)

    def test_as_markdown_for_people(self, service: Service) -> None:
        old, _ = plant(service)
        answer = service.client.get(f"/v1/dream-runs/{run(service)}?format=markdown")
        assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
        assert f"`{old['kref']}`" in answer.text
        assert "Replaced by something newer (1)" in answer.text

    def test_newest_first_in_pages(self, service: Service) -> None:
        runs: list[str] = []
        for _ in range(3):
            runs.append(run(service))
            service.world.clock.advance(minutes=1)
        page = service.client.get("/v1/dream-runs?limit=2").json()
        assert [one["id"] for one in page["runs"]] == [runs[2], runs[1]]
        rest = service.client.get(f"/v1/dream-runs?limit=2&cursor={page['nextCursor']}").json()
        assert [one["id"] for one in rest["runs"]] == [runs[0]]
        assert "nextCursor" not in rest

    def test_a_run_that_is_not_there(self, service: Service) -> None:
        for path in ("/v1/dream-runs/nothing", "/v1/dream-runs?cursor=nothing"):
            service.error(service.client.get(path), status=404, code="not_found")
        service.error(service.client.post("/v1/dream-runs/nothing/undo"), status=404, code="not_found")

    def test_they_need_the_token(self, service: Service) -> None:
        for path in ("/v1/dream-runs", "/v1/dream-schedule"):
            answer = service.client.get(path, headers={"Authorization": "Bearer no"})
            service.error(answer, status=401, code="unauthorized")


class TestUndo:
    def test_a_run_is_undone_whole(self, service: Service) -> None:
        old, _ = plant(service)
        run_id = run(service)
        assert service.tool("memory_get", ref=old["kref"])["details"]["memory"]["status"] == "superseded"
        answer = service.client.post(f"/v1/dream-runs/{run_id}/undo")
        assert answer.status_code == 200
        assert answer.json()["reverted"] >= 1
        found = service.tool("memory_get", ref=old["kref"])["details"]["memory"]
        assert (found["status"], found["revision"], found["text"]) == ("active", old["revision"], OLD)
        service.error(service.client.post(f"/v1/dream-runs/{run_id}/undo"), status=409, code="conflict")

    def test_a_dry_run_has_nothing_to_undo(self, service: Service) -> None:
        plant(service)
        run_id = run(service, dryRun=True)
        assert report(service, run_id)["dryRun"] is True
        message = service.error(service.client.post(f"/v1/dream-runs/{run_id}/undo"), status=409, code="conflict")
        assert "dry run" in message


class TestOperator:
    def test_deduplication_is_asked_for(self, service: Service) -> None:
        answer = service.post("/v1/dream-runs", kind="deduplicate", dryRun=True).json()
        assert (answer["kind"], answer["state"], answer["fresh"]) == ("deduplicate", "queued", True)
        service.world.run_jobs()
        assert report(service, answer["runId"])["kind"] == "deduplicate"
        service.error(service.post("/v1/dream-runs", kind="consolidate"), status=422, code="invalid")

    def test_a_run_waits_while_the_flow_engine_is_away(self, service: Service) -> None:
        service.world.engine.away = "the Prefect server is away"
        job_id = service.tool("memory_dream", OWNER)["details"]["jobId"]
        with pytest.raises(Unavailable):
            service.world.run_jobs()
        service.world.engine.away = None
        service.world.run_jobs()
        assert service.client.get(f"/v1/jobs/{job_id}").json()["state"] == "done"

    def test_statistics_say_when_the_last_was_and_the_next_is(self, service: Service) -> None:
        empty = service.client.get("/v1/stats").json()
        assert empty["lastDreamRunAt"] is None
        assert datetime.fromisoformat(empty["nextDreamRunAt"]) > service.world.clock.now()
        run(service)
        last = service.client.get("/v1/stats").json()["lastDreamRunAt"]
        assert datetime.fromisoformat(last) == service.world.clock.now()


class TestSchedule:
    def test_it_is_changed_and_the_next_three_times_come_back(self, service: Service) -> None:
        assert service.client.get("/v1/dream-schedule").json()["cron"] == "0 3 * * *"
        answer = service.client.put("/v1/dream-schedule", json={"cron": "30 4 * * 1"})
        assert answer.status_code == 200
        body = answer.json()
        assert (body["cron"], body["timezone"], body["paused"]) == ("30 4 * * 1", "Europe/Lisbon", False)
        times = [datetime.fromisoformat(moment) for moment in body["next"]]
        assert [moment.isoweekday() for moment in times] == [1, 1, 1]

    def test_it_is_paused_and_resumed(self, service: Service) -> None:
        assert service.client.put("/v1/dream-schedule", json={"paused": True}).json()["next"] == []
        assert service.client.get("/v1/stats").json()["nextDreamRunAt"] is None
        assert len(service.client.put("/v1/dream-schedule", json={"paused": False}).json()["next"]) == 3

    @pytest.mark.parametrize("cron", ["@daily", "0 3 * *", "61 3 * * *", "0 3 31 2 *"])
    def test_a_wrong_one_is_refused_with_the_rule(self, service: Service, cron: str) -> None:
        message = service.error(
            service.client.put("/v1/dream-schedule", json={"cron": cron}), status=422, code="invalid"
        )
        assert "schedule" in message
