"""What an operator asks: health, jobs, statistics, metrics, the document of the interface."""

import json
from datetime import datetime
from typing import Any

import httpx
import pytest

from memory_core.errors import Unavailable
from tests.integration.service.server import ANA, SECRET_WORDS, TOKEN, Service

FACT = f"My sister Marta lives in Porto near the {SECRET_WORDS} bridge"
SECRETIVE = {**ANA, "senderId": SECRET_WORDS, "senderName": SECRET_WORDS}


def use_everything(service: Service) -> None:
    service.turn(FACT, key="t1", session=SECRETIVE)
    service.tool("memory_store", SECRETIVE, text=f"{FACT} too")
    service.tool("memory_search", SECRETIVE, query=f"the {SECRET_WORDS} bridge")
    service.tool("memory_search", SECRETIVE, query="")
    service.post("/v1/recall", session=SECRETIVE, message={"text": f"Where is the {SECRET_WORDS} bridge?"})
    service.post("/v1/recall", session=SECRETIVE, message={"text": f"And who lives near the {SECRET_WORDS}?"})
    service.tool("memory_consolidate", SECRETIVE)
    service.world.run_jobs()
    service.tool("memory_forget", SECRETIVE, query=SECRET_WORDS)
    service.client.post("/v1/import", content=f'{{"text": "{SECRET_WORDS}"}}\n{SECRET_WORDS}'.encode())
    service.client.get(f"/v1/jobs/{SECRET_WORDS}")
    service.client.post(f"/v1/tools/{SECRET_WORDS}", json={"session": SECRETIVE})
    service.client.get(f"/{SECRET_WORDS}?{SECRET_WORDS}", headers={"Authorization": "Bearer " + SECRET_WORDS})


class TestHealth:
    def test_it_lives(self, service: Service) -> None:
        assert service.client.get("/healthz").json() == {"status": "ok"}

    def test_it_is_ready_when_every_part_is(self, service: Service) -> None:
        answer = service.client.get("/readyz")
        assert answer.status_code == 200
        assert answer.json()["ready"] is True
        assert set(answer.json()["parts"].values()) == {"ok"}

    def test_each_part_that_is_away_is_told(self, service: Service) -> None:
        service.world.index.away = "the index process is away"
        service.world.engine.away = "the Prefect server is away"
        answer = service.client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["ready"] is False
        assert answer.json()["parts"]["index"] == "the index process is away"
        assert answer.json()["parts"]["flows"] == "the Prefect server is away"
        assert answer.json()["parts"]["tables"] == "ok"
        assert service.client.get("/healthz").status_code == 200

    def test_a_model_that_stands_in_for_the_wanted_one_is_told(self, service: Service) -> None:
        assert "notes" not in service.client.get("/readyz").json()
        service.world.embedder.problem = "the wanted model isn't there"
        answer = service.client.get("/readyz")
        assert answer.status_code == 200
        assert answer.json()["notes"] == {"embedder": "the wanted model isn't there"}
        told = service.client.get("/v1/stats").json()["embedding"]
        assert told == {"model": service.world.embedder.model, "problem": "the wanted model isn't there", "waiting": 0}

    def test_capture_works_while_the_flow_engine_is_away(self, service: Service) -> None:
        service.world.engine.away = "the Prefect server is away"
        assert service.turn(FACT, key="t1")["status"] == "accepted"
        assert service.tool("memory_consolidate")["details"]["state"] == "queued"


class TestJobs:
    def test_a_job_tells_how_it_stands(self, service: Service) -> None:
        service.turn(FACT, key="t1")
        job_id = service.tool("memory_consolidate")["details"]["jobId"]
        job = service.client.get(f"/v1/jobs/{job_id}").json()
        assert {"id", "kind", "state", "progress", "createdAt", "attempts"} <= set(job)
        assert (job["kind"], job["state"], job["progress"]) == ("consolidate", "queued", 0.0)
        service.world.run_jobs()
        job = service.client.get(f"/v1/jobs/{job_id}").json()
        assert (job["state"], job["progress"], job["attempts"]) == ("done", 1.0, 1)
        assert job["flowRunId"] == service.world.engine.submissions[0].run_id
        for name in ("createdAt", "startedAt", "endedAt"):
            assert datetime.fromisoformat(job[name]).utcoffset() is not None
        assert SECRET_WORDS not in json.dumps(job)

    def test_a_job_that_waits_for_a_part_says_why(self, service: Service) -> None:
        service.turn(FACT, key="t1")
        job_id = service.tool("memory_consolidate")["details"]["jobId"]
        service.world.embedder.away = "the embedder is loading"
        with pytest.raises(Unavailable):
            service.world.run_jobs()
        job = service.client.get(f"/v1/jobs/{job_id}").json()
        assert (job["state"], job["error"]) == ("running", "the embedder is loading")


class TestStatistics:
    def test_counts_and_times(self, service: Service) -> None:
        empty = service.client.get("/v1/stats").json()
        assert empty["memories"]["total"] == 0
        assert (empty["lastCaptureAt"], empty["lastConsolidationAt"]) == (None, None)
        assert empty["chatModel"] == {"provider": "gateway", "model": None}
        use_everything(service)
        service.world.core.indexing.apply_due()
        stats: dict[str, Any] = service.client.get("/v1/stats").json()
        assert stats["memories"]["total"] == 2
        assert sum(stats["memories"]["byKind"].values()) == 2
        assert stats["memories"]["byStatus"] == {"active": 2}
        assert list(stats["memories"]["byScope"].values()) == [2]
        assert (stats["buffered"], stats["indexLag"]) == (0, 0)
        assert stats["recall"]["misses"] == 0
        assert stats["recall"]["p50Ms"] <= stats["recall"]["p95Ms"]
        for name in ("lastCaptureAt", "lastConsolidationAt"):
            assert datetime.fromisoformat(stats[name]) == service.world.clock.now()

    def test_a_missed_recall_is_counted(self, service: Service) -> None:
        service.world.embedder.away = "away"
        service.post("/v1/recall", session=ANA, message={"text": "Where does Marta live?"})
        assert service.client.get("/v1/stats").json()["recall"]["misses"] == 1
        assert 'nightshift_recalls_total{outcome="missed"} 1.0' in service.client.get("/metrics").text

    def test_an_index_that_is_away_has_no_lag_to_tell(self, service: Service) -> None:
        service.world.index.away = "away"
        assert service.client.get("/v1/stats").json()["indexLag"] is None

    def test_metrics_are_up_to_date_by_themselves(self, service: Service) -> None:
        service.turn(FACT, key="t1")
        text = service.client.get("/metrics").text
        assert "nightshift_buffered_turns 2.0" in text
        assert 'nightshift_turns_total{status="accepted"} 1.0' in text
        (at,) = [row.split()[1] for row in text.splitlines() if row.startswith("nightshift_last_capture_seconds ")]
        assert float(at) == service.world.clock.now().timestamp()

    def test_a_skipped_turn_is_no_capture(self, service: Service) -> None:
        service.turn("", key="t1")
        assert "nightshift_last_capture_seconds 0.0" in service.client.get("/metrics").text


def test_neither_statistics_nor_metrics_nor_health_show_words_names_or_the_token(service: Service) -> None:
    use_everything(service)
    for path in ("/v1/stats", "/metrics", "/healthz", "/readyz", "/openapi.json"):
        text = service.client.get(path).text.lower()
        assert SECRET_WORDS not in text
        assert TOKEN not in text
        assert path == "/openapi.json" or "signal" not in text, "the channel"


class TestDocument:
    def test_it_describes_every_endpoint(self, service: Service) -> None:
        document = service.client.get("/openapi.json").json()
        assert {
            "/healthz",
            "/readyz",
            "/metrics",
            "/v1/recall",
            "/v1/turns",
            "/v1/sessions/{event}",
            "/v1/tools/{name}",
            "/v1/jobs/{job_id}",
            "/v1/stats",
            "/v1/import",
            "/v1/export",
        } <= set(document["paths"])

    def test_its_names_are_those_on_the_wire(self, service: Service) -> None:
        schemas = service.client.get("/openapi.json").json()["components"]["schemas"]
        assert {"sessionKey", "chatType", "senderId", "isOwner", "parentSessionKey"} <= set(
            schemas["SessionIn"]["properties"]
        )
        assert {"turnKey", "user", "assistant"} <= set(schemas["TurnIn"]["properties"])
        assert {"topK", "budgetMs", "includeSuperseded"} <= set(schemas["RecallIn"]["properties"])
        assert not [name for schema in schemas.values() for name in schema.get("properties", {}) if "_" in name]

    def test_pages_of_the_framework_are_off(self, service: Service) -> None:
        for path in ("/docs", "/redoc"):
            assert service.client.get(path).status_code == 404
            assert httpx.get(f"http://127.0.0.1:{service.port}{path}").status_code == 401
