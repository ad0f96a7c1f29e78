"""Many recalls at once: none waits for another one, and the health check waits for none."""

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.integration.service.server import ANA, BO, Service

TOGETHER = 10
_WITHIN_S = 20


def test_ten_recalls_are_computed_side_by_side_and_the_service_stays_healthy(service: Service) -> None:
    service.remember("My dog Rex loves the beach")
    service.remember("My parrot Coco sings at night", session=BO)
    side_by_side = threading.Barrier(TOGETHER + 1, timeout=_WITHIN_S)
    go_on = threading.Event()

    def hold(_: str) -> None:
        side_by_side.wait()
        go_on.wait(_WITHIN_S)

    def recall(number: int) -> dict[str, Any]:
        session: Mapping[str, Any] = (ANA, BO)[number % 2]
        question = ("What does my dog Rex love?", "What does my parrot Coco do at night?")[number % 2]
        message = {"text": question, "at": service.world.clock.now().isoformat()}
        return service.post("/v1/recall", session=dict(session), message=message, budgetMs=15_000).json()

    service.world.embedder.before_query = hold
    with ThreadPoolExecutor(TOGETHER) as threads:
        answers = [threads.submit(recall, number) for number in range(TOGETHER)]
        try:
            side_by_side.wait()  # breaks if one of them has to wait until another one is finished
            assert service.client.get("/healthz").json() == {"status": "ok"}
            assert not any(answer.done() for answer in answers)
        finally:
            go_on.set()
        found = [answer.result() for answer in answers]
    for number, answer in enumerate(found):
        assert not answer["degraded"]
        assert [name in answer["context"] for name in ("Rex", "Coco")] == [number % 2 == 0, number % 2 == 1]
