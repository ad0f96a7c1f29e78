"""What the server adapter does beside the contract: its collection, and a server that is away."""

import socket
from collections.abc import Generator
from dataclasses import replace

import pytest
from qdrant_client import QdrantClient  # noqa: TID251 - a server can't be had here, the client's local mode stands in

from memory_core.adapters.index_layout import BUNDLED
from memory_core.adapters.qdrant_server_index import QdrantServerIndex, connect
from memory_core.errors import Unavailable
from tests.contracts.test_vector_index import Vectors, ours, point

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect")


@pytest.fixture
def client() -> Generator[QdrantClient]:
    client = QdrantClient(":memory:")
    yield client
    client.close()


def test_an_existing_collection_is_taken_up(client: QdrantClient) -> None:
    first = QdrantServerIndex(client, layout=BUNDLED)
    first.upsert([point(Vectors().embedding(1))])
    second = QdrantServerIndex(client, layout=BUNDLED)
    assert second.count() == 1
    assert second.epoch() == first.epoch()
    assert len(client.get_collections().collections) == 1


def test_each_layout_has_a_collection_of_its_own(client: QdrantClient) -> None:
    first = QdrantServerIndex(client, layout=BUNDLED)
    first.upsert([point(Vectors().embedding(1))])
    other = QdrantServerIndex(client, layout=replace(BUNDLED, model="another v2"))
    assert other.count() == 0
    assert other.epoch() != first.epoch()


def test_a_collection_made_anew_has_another_epoch(client: QdrantClient) -> None:
    index = QdrantServerIndex(client, layout=BUNDLED)
    epoch = index.epoch()
    name = client.get_collections().collections[0].name
    client.delete_collection(name)
    fresh = QdrantServerIndex(client, layout=BUNDLED)
    assert fresh.epoch() != epoch
    assert fresh.search(Vectors().embedding(1), where=ours(), limit=5) == []


def test_payloads_hold_no_text_and_no_other_keys(client: QdrantClient) -> None:
    index = QdrantServerIndex(client, layout=BUNDLED)
    stored = point(Vectors().embedding(1))
    index.upsert([stored])
    records, _ = client.scroll(client.get_collections().collections[0].name, with_payload=True)
    assert records[0].payload == {
        "shelf": f"active|{stored.scope}",
        "kind": "fact",
        "space": "personal",
        "session": stored.session_id,
        "event": stored.event_at,
    }


def test_a_server_that_is_away_is_unavailable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        index = connect(f"http://127.0.0.1:{taken.getsockname()[1]}", None, layout=BUNDLED)
        calls = [
            index.epoch,
            index.count,
            lambda: index.ids(after=None, limit=5),
            lambda: index.upsert([point(Vectors().embedding(1))]),
            lambda: index.search(Vectors().embedding(1), where=ours(), limit=5),
        ]
        for call in calls:
            with pytest.raises(Unavailable):
                call()
        index.close()
