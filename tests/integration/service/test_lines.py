"""Import and export: every line counted, bad ones named, nothing added twice, nothing lost on the way round."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.integration.cores import World, opened
from tests.integration.rows import memory, plant_memories
from tests.integration.service.server import ANA, BO, SECRET_WORDS, Service, served

FACT = f"My sister Marta lives in Porto near the {SECRET_WORDS} bridge"
PERSON = {"channel": "signal", "senderId": "ana", "speaker": "Ana"}


def line(number: int, text: str = FACT, **fields: Any) -> dict[str, Any]:
    whole = {
        **PERSON,
        "sessionKey": "agent:main:main",
        "messageKey": f"m{number}",
        "at": f"2025-03-01T09:{number % 60:02d}:00Z",
        "role": "user",
        "text": text,
    }
    return whole | fields


def take(service: Service, lines: Sequence[dict[str, Any] | bytes], *, run: bool = True) -> dict[str, Any]:
    """Import lines and play the flow; returns the job."""
    body = b"\n".join(item if isinstance(item, bytes) else json.dumps(item).encode() for item in lines)
    answer = service.client.post("/v1/import", content=body, headers={"Content-Type": "application/x-ndjson"})
    assert answer.status_code in {200, 202}, answer.text
    assert set(answer.json()) == {"jobId"}
    if run:
        service.world.run_jobs()
    return service.client.get(f"/v1/jobs/{answer.json()['jobId']}").json()


def export(service: Service) -> list[dict[str, Any]]:
    answer = service.client.get("/v1/export")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(row) for row in answer.text.splitlines()]


def listed(service: Service, session: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    return service.tool("memory_list", session or dict(ANA), limit=200)["details"]["memories"]


class TestImport:
    def test_lines_become_memories_that_name_their_sources(self, service: Service) -> None:
        job = take(service, [line(1), line(2, "Noted, thank you.", role="assistant", speaker=None)])
        assert (job["state"], job["kind"], job["progress"]) == ("done", "import", 1.0)
        result = job["result"]
        assert {key: result[key] for key in ("read", "captured", "skipped", "rejected")} == {
            "read": 2, "captured": 2, "skipped": 0, "rejected": [],
        }  # fmt: skip
        (memory,) = listed(service)
        assert (memory["text"], memory["sources"], memory["imported"]) == (FACT, ["m1"], True)
        assert (memory["speaker"], memory["origin"]) == ("Ana", "user")
        assert memory["validFrom"].startswith("2025-03-01T09:01:00")
        question = {"text": "Where does Marta live?"}
        # The score is calibrated on the real model; that of the fake embedder says only who is first.
        body = service.post("/v1/recall", session=ANA, message=question, threshold=0).json()
        assert [memory["text"] for memory in body["memories"]] == [FACT]

    def test_until_it_is_done_the_job_says_so(self, service: Service) -> None:
        assert take(service, [line(1)], run=False)["state"] == "queued"

    def test_importing_again_adds_nothing(self, service: Service) -> None:
        lines = [line(number, f"{FACT} {number}") for number in range(3)]
        take(service, lines)
        before = listed(service)
        again = take(service, lines)["result"]
        assert (again["captured"], again["skipped"]) == (0, 3)
        assert listed(service) == before

    def test_bad_lines_are_named_by_number_and_the_others_kept(self, service: Service) -> None:
        lines: list[dict[str, Any] | bytes] = [
            line(1),
            b"{not json " + SECRET_WORDS.encode(),
            b"",
            line(4, role="robot"),
            {**line(5), "at": "yesterday"},
            b'{"sessionKey": "\xff"}',
            line(7, "I work as a glass blower in Murano"),
            {"type": "poem", "text": "x"},
            b"[" * 100_000,
            line(10) | {"text": None},
            b"5",
            {"type": "memory", "id": "no-uuid"},
            line(13, "x" * 1_000_100),
            line(14, "Our dog Rufus is afraid of thunderstorms"),
        ]
        result = take(service, lines)["result"]
        assert [entry["line"] for entry in result["rejected"]] == [2, 4, 5, 6, 8, 9, 10, 11, 12, 13]
        assert all(entry["reason"] for entry in result["rejected"])
        assert "role" in result["rejected"][1]["reason"]
        assert (result["captured"], result["rejectedCount"]) == (3, 10)
        assert SECRET_WORDS not in json.dumps(result)
        assert len(listed(service)) == 3

    def test_it_is_read_as_it_streams(self, service: Service) -> None:
        def pieces() -> Iterator[bytes]:
            for number in range(450):
                row = json.dumps(line(number, f"I like the number {number} best of all")).encode() + b"\n"
                yield row[:50]
                yield row[50:]

        answer = service.client.post("/v1/import", content=pieces())
        service.world.run_jobs()
        job = service.client.get(f"/v1/jobs/{answer.json()['jobId']}").json()
        assert (job["result"]["read"], job["result"]["captured"]) == (450, 450)
        assert service.client.get("/v1/stats").json()["memories"]["total"] == 450

    def test_an_empty_body_is_an_import_of_nothing(self, service: Service) -> None:
        job = take(service, [b""])
        assert (job["state"], job["result"]["read"]) == ("done", 0)

    def test_each_line_goes_to_its_own_scope(self, service: Service) -> None:
        room = {"sessionKey": "agent:main:signal:group:1", "messageKey": "r1"}
        take(
            service,
            [
                line(1),
                line(2, "I moved to Oslo with my cat", senderId="bo", speaker="Bo"),
                line(3, "We meet on Fridays at noon", **room),
            ],
        )
        assert [memory["text"] for memory in listed(service)] == [FACT]
        assert [memory["text"] for memory in listed(service, dict(BO))] == ["I moved to Oslo with my cat"]
        group = {**ANA, "sessionKey": "agent:main:signal:group:1"}
        assert [memory["text"] for memory in listed(service, group)] == ["We meet on Fridays at noon"]

    def test_the_assistants_lines_are_not_the_persons(self, service: Service) -> None:
        said = "Your flight LH 1763 to Lisbon leaves on 14 May 2026 at 09:40 from gate B12."
        take(service, [line(1, "When does my flight to Lisbon leave?"), line(2, said, role="assistant", speaker=None)])
        about = [memory for memory in listed(service) if "LH 1763" in memory["text"]]
        assert [(memory["origin"], memory.get("speaker")) for memory in about] == [("assistant", None)]

    def test_nothing_unredacted_is_kept(self, service: Service) -> None:
        take(service, [line(1, "You can write to marta@example.org at any time")])
        assert "marta@example.org" not in service.client.get("/v1/export").text

    def test_a_line_of_someone_unknown_is_skipped(self, service: Service) -> None:
        result = take(service, [line(1, senderId=None)])["result"]
        assert (result["captured"], result["skipped"]) == (0, 1)

    def test_what_was_forgotten_is_not_imported_again(self, service: Service) -> None:
        take(service, [line(1)])
        rows = export(service)
        service.tool("memory_forget", query=FACT, confirm=True)
        take(service, [line(1), line(2)])
        take(service, rows)
        assert listed(service) == []


class TestRoundTrip:
    def fill(self, service: Service) -> None:
        old = service.remember("My sister Marta lives in Porto")
        service.world.clock.advance(hours=1)
        service.tool(
            "memory_store", text="My sister Marta lives in Oslo", replaces=old["kref"], tags=["a"], pinned=True
        )
        service.tool("memory_store", text="My sister Marta lives in Oslo")
        service.remember("We meet on Fridays", session={**ANA, "sessionKey": "agent:main:signal:group:1"}, kind="event")
        service.turn("I work as a glass blower in Murano", key="t1", session=BO)
        service.tool("memory_consolidate", BO)
        service.world.run_jobs()

    @pytest.fixture
    def other(self, tmp_path: Path) -> Iterator[Service]:
        home = tmp_path / "other"
        home.mkdir()
        with opened(home) as world, served(world) as found:
            yield found

    def test_an_export_restores_every_memory_as_it_was(self, service: Service, other: Service) -> None:
        self.fill(service)
        rows = export(service)
        assert len(rows) == 4
        assert {row["type"] for row in rows} == {"memory"}
        result = take(other, rows)["result"]
        assert (result["read"], result["captured"], result["rejected"]) == (4, 4, [])
        assert export(other) == rows
        assert self.search(other) == self.search(service)

    def test_restoring_twice_changes_nothing(self, service: Service, other: Service) -> None:
        self.fill(service)
        rows = export(service)
        take(other, rows)
        result = take(other, [*rows, rows[0]])["result"]
        assert (result["captured"], result["skipped"]) == (0, 5)
        assert export(other) == rows

    def test_restoring_into_the_same_place_changes_nothing(self, service: Service) -> None:
        self.fill(service)
        rows = export(service)
        take(service, rows)
        assert export(service) == rows

    def test_what_comes_from_elsewhere_is_redacted(self, service: Service, other: Service) -> None:
        self.fill(service)
        (row, *_) = export(service)
        take(other, [row | {"text": "Marta's key is AKIAIOSFODNN7EXAMPLE"}])
        assert "AKIA" not in json.dumps(export(other))

    def test_an_id_that_another_scope_has_is_left_alone(self, service: Service) -> None:
        self.fill(service)
        rows = export(service)
        result = take(service, [rows[0] | {"scope": "user.signal.eve"}])["result"]
        assert (result["captured"], result["skipped"]) == (0, 1)
        assert export(service) == rows

    @staticmethod
    def search(service: Service) -> list[str]:
        found = service.tool("memory_search", query="Where does my sister Marta live?")
        return [memory["text"] for memory in found["details"]["memories"]]


def test_a_long_export_is_whole(sqlite_world: World) -> None:
    plant_memories(sqlite_world.core.database, [memory(text=f"statement {number}") for number in range(1200)])
    with served(sqlite_world) as service:
        rows = export(service)
    assert len(rows) == 1200
    assert len({row["id"] for row in rows}) == 1200
