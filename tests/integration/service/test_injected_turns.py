"""What recall injected comes back inside the words of the next turns and is never captured again, on the wire."""

from memory_core.fence import FENCE_OPEN
from tests.integration.service.server import ANA, Service

FACTS = ["My sister Marta lives in Porto", "Our dog Rufus fears thunder"]
TURNS = 50


def test_fifty_turns_with_the_real_block_in_both_texts_add_their_own_facts_and_no_copy(service: Service) -> None:
    for fact in FACTS:
        service.remember(fact)
    for number in range(TURNS):
        question = "Where does my sister Marta live?" if number % 2 else "What does our dog Rufus fear?"
        block = service.post("/v1/recall", session=dict(ANA), message={"text": question}, dedupe=False).json()[
            "context"
        ]
        assert block.startswith(FENCE_OPEN)
        said = f"I watered plant {number} of the greenhouse"
        service.turn(
            f"{block}\n\n{said}" if number % 3 else f"{said}\n\n{block}",
            key=f"t{number}",
            assistant={"text": f"{block}\nThe log of the greenhouse has entry {number} now."},
        )
    service.world.consolidate()

    memories = service.world.memories()
    assert {memory.text: memory.count for memory in memories if memory.text in FACTS} == dict.fromkeys(FACTS, 1)
    others = [memory.text for memory in memories if memory.text not in FACTS]
    assert sum(text.startswith("I watered plant") for text in others) == TURNS
    assert not [text for text in others if "Marta" in text or "Rufus" in text or "kref://" in text]
