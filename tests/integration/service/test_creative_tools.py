"""The creative tools and the operator's routes as a caller meets them."""

import time
from typing import Any

import pytest

from tests.integration.cores import pass_time
from tests.integration.service.server import ANA, BO, NOBODY, SECRET_WORDS, Service

WORK: dict[str, Any] = {
    "title": "Shutter protocol",
    "content": "Close the shutter in strong wind.\nOpen it when it is calm.\n",
    "creativeProject": "observatory",
    "project": "dome-control",
    "kind": "design",
}
SPACE: dict[str, Any] = {"space": "dome-control", "creativeProject": "observatory"}


def work(**fields: Any) -> dict[str, Any]:
    """Arguments of a capture; those given win."""
    return WORK | fields


def keep(service: Service, **fields: Any) -> dict[str, Any]:
    """Capture, run the job, and return what its state tells."""
    job_id = service.tool("creative_capture", **work(**fields))["details"]["jobId"]
    service.world.run_jobs()
    details = service.tool("creative_job_status", jobId=job_id)["details"]
    assert details["state"] == "done", details
    return details


def test_a_capture_answers_with_a_job_that_can_be_asked_for(service: Service) -> None:
    service.tool("creative_capture", **work(title="warm up"))
    began_s = time.perf_counter()
    reply = service.tool("creative_capture", **WORK)
    took_ms = (time.perf_counter() - began_s) * 1000
    print(f"creative_capture: {took_ms:.1f} ms")
    assert took_ms < 500
    assert reply["details"]["title"] == "Shutter protocol"
    assert reply["details"]["space"] == "dome-control"
    job_id = reply["details"]["jobId"]
    queued = service.tool("creative_job_status", jobId=job_id)["details"]
    assert queued["state"] in {"queued", "running"}
    service.world.run_jobs()
    done = service.tool("creative_job_status", jobId=job_id)["details"]
    assert done["state"] == "done"
    assert done["itemKref"] == "kref://observatory/dome-control/shutter-protocol.design"
    assert done["revisionKref"] == f"{done['itemKref']}?r=1"
    assert done["memoryKref"].startswith("kref://CognitiveMemory/")
    assert done["attempts"] >= 1
    assert service.client.get(f"/v1/jobs/{job_id}").json()["state"] == "done"


def test_recall_lists_ranks_and_opens(service: Service) -> None:
    first = keep(service, tags=["safety"])
    pass_time(service.world, minutes=1)
    keep(service, title="Dome paint", content="The dome is painted white in May.")
    listed = service.tool("creative_recall", **SPACE)["details"]["items"]
    assert [item["title"] for item in listed] == ["Dome paint", "Shutter protocol"]
    assert (
        listed[1]
        | {
            "itemKref": first["itemKref"],
            "revisionKref": first["revisionKref"],
            "kind": "design",
            "revision": 1,
            "tags": ["safety"],
        }
        == listed[1]
    )
    assert listed[1]["excerpt"].startswith("Close the shutter")
    assert "score" not in listed[0]
    ranked = service.tool("creative_recall", **SPACE, query="which colour is the dome painted", topK=1)["details"]
    assert [item["title"] for item in ranked["items"]] == ["Dome paint"]
    assert 0 <= ranked["items"][0]["score"] <= 1
    tagged = service.tool("creative_recall", **SPACE, tag="safety")["details"]["items"]
    assert [item["title"] for item in tagged] == ["Shutter protocol"]
    opened = service.tool("creative_recall", **SPACE, ref=first["itemKref"])
    assert opened["details"]["content"] == WORK["content"]
    assert WORK["content"] in opened["text"]
    for reference in (first["memoryKref"], first["revisionKref"]):
        assert service.tool("creative_recall", **SPACE, ref=reference)["details"]["content"] == WORK["content"]
    assert service.tool("creative_recall", space="elsewhere", creativeProject="observatory")["details"]["items"] == []
    assert service.tool("creative_recall", space="Dome Control", creativeProject="Observatory")["details"]["items"]


def test_a_long_content_is_read_page_by_page(service: Service) -> None:
    lines = [f"Line {number} of a long report about the dome." for number in range(9000)]
    kref = keep(service, content="\n".join(lines))["itemKref"]
    read: list[str] = []
    arguments: dict[str, Any] = {}
    while True:
        details = service.tool("creative_recall", **SPACE, ref=kref, **arguments)["details"]
        read += details["content"].split("\n")
        if "nextLine" not in details:
            break
        arguments = {"fromLine": details["nextLine"]}
    assert read == lines
    assert details["lines"] == 9000
    middle = service.tool("creative_recall", **SPACE, ref=kref, fromLine=11, lineCount=2)["details"]
    assert middle["content"] == "\n".join(lines[10:12])


def test_two_revisions_are_compared_in_one_answer(service: Service) -> None:
    kref = keep(service)["itemKref"]
    keep(service, content="Close the shutter in strong wind.\nOpen it at noon.\n")
    details = service.tool("creative_recall", **SPACE, ref=f"{kref}?r=1..2")["details"]
    assert "-Open it when it is calm." in details["content"].splitlines()
    assert "+Open it at noon." in details["content"].splitlines()
    assert [one["revision"] for one in details["revisions"]] == [1, 2]


def test_a_search_for_artifacts_finds_a_passage_and_get_the_item(service: Service) -> None:
    filler = "\n\n".join(f"Paragraph {number} is about greasing motor {number} of the dome." for number in range(60))
    done = keep(service, content=f"{filler}\n\nThe crank hangs behind the red cabinet.", title="Handbook")
    found = service.tool("memory_search", query="crank behind the red cabinet", kind="artifact")["details"]["memories"]
    assert any("red cabinet" in memory["text"] for memory in found)
    listed = service.tool("memory_list", kind="artifact")["details"]["memories"]
    assert [memory["kref"] for memory in listed] == [done["memoryKref"]]
    assert service.tool("memory_get", ref=done["itemKref"])["details"]["memory"]["kref"] == done["memoryKref"]


@pytest.mark.parametrize("field", ["title", "content", "creativeProject", "project", "kind"])
def test_a_missing_argument_is_named(service: Service, field: str) -> None:
    reply = service.tool("creative_capture", **{name: value for name, value in WORK.items() if name != field})
    assert reply["isError"]
    assert field in reply["text"]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"content": "   "}, "content: must not be empty"),
        ({"kind": " "}, "kind: "),
        ({"sourceMemoryKref": "kref://a/b/c.fact"}, "sourceMemoryKref: there is no memory"),
        ({"title": "x" * 10_001}, "title: "),
    ],
)
def test_a_wrong_argument_is_named(service: Service, fields: dict[str, str], *, named: str) -> None:
    reply = service.tool("creative_capture", **work(**fields))
    assert reply["isError"]
    assert named in reply["text"]


def test_who_has_no_memory_keeps_and_finds_nothing(service: Service) -> None:
    keep(service)
    reply = service.tool("creative_capture", NOBODY, **WORK)
    assert reply["details"]["decision"] == "REJECT"
    assert reply["details"]["reason"]
    assert reply["details"]["jobId"] is None
    assert service.tool("creative_recall", NOBODY, **SPACE)["details"]["items"] == []
    child = {**ANA, "trigger": "subagent", "sessionKey": "agent:main:subagent:1", "parentSessionKey": ANA["sessionKey"]}
    assert service.tool("creative_capture", child, **WORK)["details"]["decision"] == "REJECT"
    assert service.tool("creative_recall", child, **SPACE)["details"]["items"]


def test_a_job_of_somebody_else_is_not_found(service: Service) -> None:
    job_id = service.tool("creative_capture", **WORK)["details"]["jobId"]
    for session in (BO, NOBODY):
        reply = service.tool("creative_job_status", session, jobId=job_id)
        assert reply["isError"]
        assert reply["details"]["code"] == "not_found"


def test_five_megabytes_pass_and_more_does_not(service: Service) -> None:
    content = ("A line that tells nothing of the dome at all.\n" * 120_000)[: 5 * 1024 * 1024]
    body = {"session": dict(ANA), "arguments": work(content=content)}
    answer = service.client.post("/v1/tools/creative_capture", json=body, timeout=200)
    assert answer.json()["details"]["jobId"]
    assert service.tool("creative_capture", **work(content=content + "x"))["isError"]
    answer = service.post("/v1/tools/creative_capture", session=dict(ANA), arguments=work(content="x" * 8_000_001))
    service.error(answer, status=413, code="too_large")


def test_publishing_and_retrying_are_the_operators(service: Service) -> None:
    kref = keep(service)["itemKref"]
    answer = service.post("/v1/artifacts/publish", ref=kref)
    assert answer.json() == {"itemKref": kref, "title": "Shutter protocol", "published": 1}
    assert service.tool("creative_recall", **SPACE)["details"]["items"][0]["published"] == 1
    assert service.tool("memory_get", ref=kref)["details"]["memory"]["pinned"]
    assert "published" not in service.post("/v1/artifacts/publish", ref=kref, published=False).json()
    service.error(service.post("/v1/artifacts/publish", ref="kref://a/b/c.design"), status=404, code="not_found")
    job_id = service.tool("creative_capture", **work(title="Lost"))["details"]["jobId"]
    service.error(service.post(f"/v1/jobs/{job_id}/retry"), status=409, code="conflict")
    service.error(service.post("/v1/jobs/none/retry"), status=404, code="not_found")


def test_forgetting_an_artifact_counts_it(service: Service) -> None:
    kref = keep(service)["itemKref"]
    shown = service.tool("memory_forget", refs=[kref])["details"]
    assert shown["matched"] == 1
    gone = service.tool("memory_forget", previewId=shown["previewId"], confirm=True)["details"]
    assert (gone["forgotten"], gone["artifacts"]) == (1, 1)
    assert service.tool("creative_recall", **SPACE)["details"]["items"] == []
    assert service.tool("creative_recall", **SPACE, ref=kref)["isError"]
    assert list(service.world.core.settings.artifact_folder.glob("??/*")) == []


def test_a_search_for_what_to_forget_shows_works_that_hold_all_of_it(service: Service) -> None:
    filler = "\n\n".join(f"Paragraph {number} is about greasing motor {number} of the dome." for number in range(60))
    letter = keep(service, title="Letter", content=f"{filler}\n\nMarta Quiroga keeps the parrot.\n\n{filler}")
    keep(service, title="Other letter", content=f"{filler}\n\nMarta keeps a dog.")
    shown = service.tool("memory_forget", query="Quiroga's parrot")["details"]
    assert letter["memoryKref"] in {memory["kref"] for memory in shown["preview"]}
    only = service.tool("memory_forget", refs=[letter["memoryKref"]], confirm=True)["details"]
    assert (only["forgotten"], only["artifacts"]) == (1, 1)
    assert [item["title"] for item in service.tool("creative_recall", **SPACE)["details"]["items"]] == ["Other letter"]


def test_no_log_holds_words_of_a_work(service: Service) -> None:
    keep(service, title=f"On {SECRET_WORDS}", content=f"All about {SECRET_WORDS}.")
    service.tool("creative_capture", **work(content=f"{SECRET_WORDS} again", sourceMemoryKref=SECRET_WORDS))
