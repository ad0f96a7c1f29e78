"""The agent's tools on the wire: always answered, honest about what happened, blind to other scopes."""

from typing import Any

import pytest

from tests.integration.service.server import ANA, BO, NOBODY, SECRET_WORDS, Service
from tests.integration.service.test_hot_path import assert_is_memory

FACT = f"My sister Marta lives in Porto near the {SECRET_WORDS} bridge"
GROUP = {**ANA, "sessionKey": "agent:main:signal:group:1", "chatType": "group", "chatId": "1"}
BO_IN_GROUP = {**GROUP, "senderId": "bo", "senderName": "Bo"}
TOOLS = {"memory_search", "memory_store", "memory_get", "memory_list", "memory_forget", "memory_consolidate"}
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("memory_search", {}, "query"),
    ("memory_search", {"query": ""}, "query"),
    ("memory_search", {"query": 7}, "query"),
    ("memory_search", {"query": "x", "kind": "gossip"}, "kind"),
    ("memory_search", {"query": "x", "from": "yesterday"}, "from"),
    ("memory_search", {"query": "x", "asOf": "2026-02-30"}, "asOf"),
    ("memory_search", {"query": "x", "to": "9999-12-31"}, "to"),
    ("memory_search", {"query": "x", "from": "2026-01-01T09:00"}, "from"),
    ("memory_search", {"query": "x", "topK": "all"}, "topK"),
    ("memory_store", {}, "text"),
    ("memory_store", {"text": "   "}, "text"),
    ("memory_store", {"text": "x" * 32_001}, "text"),
    ("memory_store", {"text": "x y", "kind": "gossip"}, "kind"),
    ("memory_store", {"text": "x y", "tags": "red"}, "tags"),
    ("memory_store", {"text": "x y", "tags": [""]}, "tags.0"),
    ("memory_store", {"text": "x y", "space": "a b"}, "space"),
    ("memory_store", {"text": "x y", "replaces": "nothing"}, "ref"),
    ("memory_store", {"text": "x y", "replaces": "kref://a/b/c.fact"}, "replaces"),
    ("memory_store", {"text": "x y", "pinned": "perhaps"}, "pinned"),
    ("memory_store", {"text": "x y", "eventAt": 5}, "eventAt"),
    ("memory_get", {}, "ref"),
    ("memory_get", {"ref": "kref://nonsense"}, "ref"),
    ("memory_get", {"ref": "kref://a/b/c.fact"}, "ref"),
    ("memory_get", {"ref": "00000000-0000-4000-8000-000000000000"}, "ref"),
    ("memory_get", {"ref": "x", "fromLine": "first"}, "fromLine"),
    ("memory_list", {"status": "gone"}, "status"),
    ("memory_list", {"cursor": "nonsense"}, "cursor"),
    ("memory_list", {"cursor": "MDAwMS0wMS0wMVQwMDowMDowMCsxNDowMHx4"}, "cursor"),
    ("memory_list", {"limit": {}}, "limit"),
    ("memory_forget", {}, "arguments"),
    ("memory_forget", {"refs": "all"}, "refs"),
    ("memory_forget", {"refs": ["kref://a/b/c.fact"]}, "ref"),
    ("memory_forget", {"previewId": "nothing", "confirm": True}, "previewId"),
    ("memory_forget", {"query": "x", "confirm": "perhaps"}, "confirm"),
    ("memory_consolidate", {"wait": "perhaps"}, "wait"),
]


def texts(reply: dict[str, Any]) -> list[str]:
    return [memory["text"] for memory in reply["details"]["memories"]]


@pytest.mark.parametrize(("tool", "arguments", "field"), WRONG)
def test_a_wrong_argument_is_an_error_that_names_it(
    service: Service, *, tool: str, arguments: dict[str, Any], field: str
) -> None:
    reply = service.tool(tool, **arguments)
    assert reply["isError"]
    assert f"{field}: " in reply["text"]


@pytest.mark.parametrize(
    "body", [{}, {"session": {}}, {"session": ANA, "arguments": []}, {"session": ANA, "arguments": 1}]
)
def test_a_malformed_envelope_is_refused(service: Service, body: dict[str, Any]) -> None:
    service.error(service.client.post("/v1/tools/memory_list", json=body), status=422, code="invalid")


def test_arguments_may_be_absent(service: Service) -> None:
    answer = service.client.post("/v1/tools/memory_list", json={"session": ANA})
    assert answer.json()["details"] == {"memories": []}


class TestWithoutIdentity:
    @pytest.mark.parametrize(("tool", "arguments"), [("memory_search", {"query": "Porto"}), ("memory_list", {})])
    def test_lists_are_empty_and_say_why(self, service: Service, *, tool: str, arguments: dict[str, Any]) -> None:
        service.remember(FACT)
        reply = service.tool(tool, NOBODY, **arguments)
        assert (reply["isError"], texts(reply)) == (False, [])
        assert "isn't known who" in reply["text"]

    def test_a_store_is_rejected_with_the_reason(self, service: Service) -> None:
        reply = service.tool("memory_store", NOBODY, text=FACT)
        assert (reply["isError"], reply["details"]["decision"]) == (False, "REJECT")
        assert "isn't known who" in reply["details"]["reason"]
        assert reply["details"]["superseded"] == []

    def test_nothing_is_forgotten_or_consolidated(self, service: Service) -> None:
        service.remember(FACT)
        reply = service.tool("memory_forget", NOBODY, query="Porto", confirm=True)
        assert (reply["isError"], reply["details"]["forgotten"]) == (False, 0)
        reply = service.tool("memory_consolidate", NOBODY)
        assert reply["details"] == {"jobId": None, "state": "done"}

    def test_a_subagent_reads_and_is_rejected_when_it_stores(self, service: Service) -> None:
        service.remember(FACT)
        child = {
            **ANA,
            "sessionKey": "agent:main:subagent:1",
            "trigger": "subagent",
            "parentSessionKey": "agent:main:main",
        }
        assert texts(service.tool("memory_search", child, query="Porto")) == [FACT]
        reply = service.tool("memory_store", child, text="Something else")
        assert reply["details"]["decision"] == "REJECT"
        assert "subagent" in reply["details"]["reason"]


class TestStore:
    def test_a_new_memory_is_added_and_found_at_once(self, service: Service) -> None:
        reply = service.tool("memory_store", text=FACT, kind="decision", tags=["a", "b"], pinned=True)
        assert set(reply["details"]) == {"decision", "reason", "memory", "superseded"}
        memory = reply["details"]["memory"]
        assert_is_memory(memory)
        assert (memory["kind"], memory["tags"], memory["pinned"], memory["count"]) == ("decision", ["a", "b"], True, 1)
        assert (memory["speaker"], memory["origin"], memory["status"]) == ("Ana", "user", "active")
        assert texts(service.tool("memory_search", query="Porto")) == [FACT]

    def test_a_repeat_is_counted(self, service: Service) -> None:
        service.remember(FACT)
        reply = service.tool("memory_store", text=f"{FACT}.")
        assert (reply["details"]["decision"], reply["details"]["memory"]["count"]) == ("SKIP_DUPLICATE", 2)

    def test_a_replacement_supersedes(self, service: Service) -> None:
        old = service.remember(FACT)
        reply = service.tool("memory_store", text="My sister Marta lives in Oslo", replaces=f"{old['kref']}?r=1")
        assert (reply["details"]["decision"], reply["details"]["superseded"]) == ("SUPERSEDE", [old["kref"]])
        again = service.tool("memory_get", ref=old["kref"])["details"]
        assert again["memory"]["status"] == "superseded"
        assert again["memory"]["supersededBy"] == reply["details"]["memory"]["kref"]
        assert again["edges"][0]["kind"] == "SUPERSEDES"

    def test_nobody_replaces_what_is_not_theirs(self, service: Service) -> None:
        old = service.remember(FACT)
        reply = service.tool("memory_store", BO, text="She moved", replaces=old["kref"])
        assert reply["isError"]
        assert texts(service.tool("memory_list", BO)) == []
        assert texts(service.tool("memory_list")) == [FACT]

    def test_secrets_are_masked(self, service: Service) -> None:
        memory = service.remember("Marta's address is marta@example.org, key AKIAIOSFODNN7EXAMPLE")
        assert "marta@example.org" not in memory["text"]
        assert "AKIA" not in memory["text"]

    def test_what_is_only_our_own_block_is_not_stored(self, service: Service) -> None:
        block = '<nightshift-memory trust="reference-data">\nx\n- [2026-01-01] old (kref://a/b/c.fact)\n</nightshift-memory>'
        reply = service.tool("memory_store", text=block)
        assert reply["isError"]
        assert "text: " in reply["text"]

    def test_an_embedder_that_is_away_is_told(self, service: Service) -> None:
        service.world.embedder.away = "the index process is away"
        reply = service.tool("memory_store", text=FACT)
        assert reply["isError"]
        assert reply["details"] == {"code": "unavailable", "retryable": True}
        service.world.embedder.away = None
        assert texts(service.tool("memory_list")) == []

    def test_an_index_that_is_away_loses_nothing(self, service: Service) -> None:
        service.world.index.away = "away"
        service.remember(FACT)
        service.world.index.away = None
        service.world.core.indexing.apply_due()
        assert texts(service.tool("memory_search", query="Porto")) == [FACT]


class TestRead:
    def test_a_search_answers_scored_memories(self, service: Service) -> None:
        service.remember(FACT)
        service.remember("The boiler was serviced by Mister Okafor", kind="event")
        reply = service.tool("memory_search", query="Who serviced the boiler?", topK=1)
        assert set(reply["details"]) == {"memories"}
        (memory,) = reply["details"]["memories"]
        assert_is_memory(memory)
        assert memory["score"] > 0
        assert memory["kref"] in reply["text"]

    def test_a_search_can_be_narrowed(self, service: Service) -> None:
        service.remember("Boiler one", kind="event", space="house", eventAt="2026-01-10T10:00:00Z")
        service.remember("Boiler two", kind="fact", eventAt="2026-02-10T10:00:00Z")
        assert texts(service.tool("memory_search", query="boiler", kind="event")) == ["Boiler one"]
        assert texts(service.tool("memory_search", query="boiler", space="house")) == ["Boiler one"]
        late: dict[str, Any] = {"query": "boiler", "from": "2026-02-01T00:00:00Z"}
        assert texts(service.tool("memory_search", **late)) == ["Boiler two"]
        assert texts(service.tool("memory_search", query="boiler", to="2026-02-01T00:00:00+02:00")) == ["Boiler one"]

    def test_a_day_is_that_of_the_callers_zone_and_counts_whole(self, service: Service) -> None:
        lisbon = {**ANA, "timezone": "Europe/Lisbon"}
        for hour, text in (("2026-06-30T22:30:00Z", "Boiler one"), ("2026-07-01T22:30:00Z", "Boiler two")):
            service.remember(text, eventAt=hour)
        service.remember("Boiler three", eventAt="2026-07-02")

        def on(**days: str) -> list[str]:
            return texts(service.tool("memory_search", session=lisbon, query="boiler", **days))

        assert sorted(on(**{"from": "2026-07-01", "to": "2026-07-01"})) == ["Boiler two"]
        assert sorted(on(to=" 2026-06-30 ")) == ["Boiler one"]
        assert sorted(on(**{"from": "2026-07-01"})) == ["Boiler three", "Boiler two"]

    def test_others_are_not_found_by_any_tool(self, service: Service) -> None:
        memory = service.remember(FACT)
        for session in (BO, GROUP):
            assert texts(service.tool("memory_search", session, query="Porto")) == []
            assert texts(service.tool("memory_list", session)) == []
            for ref in (memory["kref"], memory["id"]):
                reply = service.tool("memory_get", session, ref=ref)
                assert (reply["isError"], reply["details"]["code"]) == (True, "not_found")
                assert SECRET_WORDS not in str(reply)
                assert service.tool("memory_forget", session, refs=[ref], confirm=True)["isError"]
            assert service.tool("memory_forget", session, query="Porto", confirm=True)["details"]["forgotten"] == 0
        assert texts(service.tool("memory_list")) == [FACT]

    def test_a_memory_is_got_by_address_revision_or_id(self, service: Service) -> None:
        memory = service.remember(FACT)
        for ref in (memory["kref"], f"{memory['kref']}?r=1", memory["id"]):
            details = service.tool("memory_get", ref=ref)["details"]
            assert set(details) == {"memory", "revisions", "edges"}
            assert details["memory"]["text"] == FACT
            assert details["revisions"][0]["kref"] == f"{memory['kref']}?r=1"
        assert service.tool("memory_get", ref=f"{memory['kref']}?r=2")["isError"]

    def test_lines_of_a_memory_can_be_asked_for(self, service: Service) -> None:
        memory = service.remember("one\ntwo\nthree\nfour")
        assert "two\nthree (" in service.tool("memory_get", ref=memory["id"], fromLine=2, lineCount=2)["text"]
        assert "one\ntwo (" in service.tool("memory_get", ref=memory["id"], fromLine=-4, lineCount=2)["text"]
        assert "four (" in service.tool("memory_get", ref=memory["id"], fromLine=4, lineCount=10**12)["text"]

    def test_a_list_is_paged_newest_first(self, service: Service) -> None:
        for number in range(5):
            service.remember(f"statement {number}")
            service.world.clock.advance(seconds=1)
        seen: list[str] = []
        cursor: str | None = None
        while True:
            asked: dict[str, Any] = {"cursor": cursor} if cursor else {}
            reply = service.tool("memory_list", limit=2, **asked)
            seen += texts(reply)
            cursor = reply["details"].get("nextCursor")
            if cursor is None:
                break
        assert seen == [f"statement {number}" for number in reversed(range(5))]

    @pytest.mark.parametrize(("limit", "count"), [(0, 1), (-7, 1), (10**9, 3), (2, 2)])
    def test_a_limit_out_of_range_is_clamped(self, service: Service, *, limit: int, count: int) -> None:
        for number in range(3):
            service.remember(f"statement {number}")
        assert len(texts(service.tool("memory_list", limit=limit))) == count

    def test_a_list_can_be_narrowed(self, service: Service) -> None:
        old = service.remember("old")
        service.tool("memory_store", text="new", replaces=old["kref"], tags=["red"], kind="event", space="house")
        assert texts(service.tool("memory_list")) == ["new"]
        assert texts(service.tool("memory_list", status="superseded")) == ["old"]
        narrowings: list[dict[str, Any]] = [{"tag": "red"}, {"kind": "event"}, {"space": "house"}]
        for narrow in narrowings:
            assert texts(service.tool("memory_list", **narrow)) == ["new"]
        assert texts(service.tool("memory_list", tag="blue")) == []


class TestForget:
    def test_a_preview_shows_and_its_id_forgets(self, service: Service) -> None:
        service.remember(FACT)
        preview = service.tool("memory_forget", query="Where does Marta live?")["details"]
        assert {"forgotten", "matched", "derived", "vectors", "artifacts", "preview", "previewId"} <= set(preview)
        assert (preview["forgotten"], preview["matched"]) == (0, 1)
        assert preview["preview"][0]["text"] == FACT
        assert texts(service.tool("memory_list")) == [FACT]
        done = service.tool("memory_forget", previewId=preview["previewId"], confirm=True)["details"]
        assert (done["forgotten"], done["vectors"]) == (1, 1)
        assert texts(service.tool("memory_list")) == []
        assert service.tool("memory_forget", previewId=preview["previewId"], confirm=True)["isError"]

    def test_a_preview_is_its_scopes_own(self, service: Service) -> None:
        service.remember(FACT)
        preview = service.tool("memory_forget", query="Marta")["details"]["previewId"]
        assert service.tool("memory_forget", BO, previewId=preview, confirm=True)["isError"]
        assert texts(service.tool("memory_list")) == [FACT]

    def test_a_query_without_a_preview_takes_only_what_holds_every_word(self, service: Service) -> None:
        service.remember("My sister Marta lives in Porto")
        service.remember("My brother Jorge lives in Porto")
        service.remember("The port of Oslo is cold")
        done = service.tool("memory_forget", query="sister in Porto", confirm=True)["details"]
        assert done["forgotten"] == 1
        kept = sorted(texts(service.tool("memory_list")))
        assert kept == ["My brother Jorge lives in Porto", "The port of Oslo is cold"]

    @pytest.mark.parametrize("query", ["the of in", "?!", "Lisbon"])
    def test_a_query_that_names_nothing_takes_nothing(self, service: Service, query: str) -> None:
        service.remember(FACT)
        assert service.tool("memory_forget", query=query, confirm=True)["details"]["forgotten"] == 0

    def test_refs_are_taken(self, service: Service) -> None:
        one, other = service.remember("one thing"), service.remember("another thing")
        done = service.tool("memory_forget", refs=[one["kref"], other["id"], one["id"]], confirm=True)["details"]
        assert done["forgotten"] == 2

    def test_a_preview_keeps_to_every_condition(self, service: Service) -> None:
        service.remember("Marta likes tea", eventAt="2026-01-01T00:00:00Z")
        service.remember("Jorge likes tea", eventAt="2026-03-01T00:00:00Z")
        narrow: list[dict[str, Any]] = [{"person": "Marta"}, {"to": "2026-02-01T00:00:00Z"}]
        for condition in narrow:
            preview = service.tool("memory_forget", query="who likes tea", **condition)["details"]["preview"]
            assert [memory["text"] for memory in preview] == ["Marta likes tea"]

    def test_a_stretch_of_time_is_taken(self, service: Service) -> None:
        service.remember("in January", eventAt="2026-01-01T00:00:00Z")
        service.remember("in March", eventAt="2026-03-01T00:00:00Z")
        span: dict[str, Any] = {"from": "2026-02-01T00:00:00Z", "to": "2026-04-01T00:00:00Z"}
        assert service.tool("memory_forget", confirm=True, **span)["details"]["forgotten"] == 1
        assert texts(service.tool("memory_list")) == ["in January"]

    def test_a_conversation_is_taken_with_what_waits(self, service: Service) -> None:
        service.turn(FACT, key="t1")
        service.world.consolidate()
        service.turn("I also like tea with lemon", key="t2")
        done = service.tool("memory_forget", sessionKey="agent:main:main", confirm=True)["details"]
        assert (done["forgotten"], done["buffered"]) == (1, 4)
        service.world.consolidate()
        assert texts(service.tool("memory_list")) == []

    def test_in_a_group_one_forgets_only_ones_own_and_what_is_about_oneself(self, service: Service) -> None:
        service.remember("I moved to Porto", session=GROUP)
        service.remember("I moved to Oslo", session=BO_IN_GROUP)
        service.remember("Bo is allergic to nuts", session=GROUP)
        done = service.tool("memory_forget", BO_IN_GROUP, query="moved to Porto", confirm=True)["details"]
        assert done["forgotten"] == 0
        preview = service.tool("memory_forget", BO_IN_GROUP, person="me")["details"]
        assert {memory["text"] for memory in preview["preview"]} == {"I moved to Oslo", "Bo is allergic to nuts"}
        service.tool("memory_forget", BO_IN_GROUP, previewId=preview["previewId"], confirm=True)
        assert texts(service.tool("memory_list", GROUP)) == ["I moved to Porto"]

    def test_what_was_forgotten_does_not_come_back(self, service: Service) -> None:
        service.turn(FACT, key="t1")
        service.world.consolidate()
        service.tool("memory_forget", query=FACT, confirm=True)
        service.turn(FACT, key="t1")
        service.world.consolidate()
        assert texts(service.tool("memory_list")) == []
        assert (
            service.post("/v1/recall", session=ANA, message={"text": "Where does Marta live?"}).json()["memories"] == []
        )


class TestConsolidate:
    def test_what_waits_becomes_a_job(self, service: Service) -> None:
        service.turn(FACT, key="t1")
        details = service.tool("memory_consolidate")["details"]
        assert set(details) == {"jobId", "state"}
        assert details["state"] == "queued"
        service.world.run_jobs()
        job = service.client.get(f"/v1/jobs/{details['jobId']}").json()
        assert (job["state"], job["result"]["added"]) == ("done", 1)
        assert texts(service.tool("memory_list")) == [FACT]

    def test_nothing_to_do_is_done(self, service: Service) -> None:
        assert service.tool("memory_consolidate", wait=True)["details"] == {"jobId": None, "state": "done"}

    def test_in_a_group_all_speakers_are_covered(self, service: Service) -> None:
        service.turn("I moved to Porto last year", key="t1", session=GROUP)
        service.turn("I moved to Oslo last year", key="t2", session=BO_IN_GROUP)
        service.tool("memory_consolidate", GROUP)
        service.world.run_jobs()
        speakers = {memory["speaker"] for memory in service.tool("memory_list", GROUP)["details"]["memories"]}
        assert speakers == {"Ana", "Bo"}


def test_no_tool_but_these_is_known(service: Service) -> None:
    for name in ("memory_erase", "nightshift_search", "creative", ""):
        answer = service.post(f"/v1/tools/{name}", session=ANA, arguments={})
        assert answer.status_code == 404
    for name in TOOLS:
        assert service.post(f"/v1/tools/{name}", session=ANA, arguments={}).status_code == 200
