"""What every embedder promises: the fake, the bundled model, another one, and the bundled one behind its process."""

import threading
from typing import Any

import numpy as np
import pytest

from memory_core.adapters.fastembed_embedder import FastembedEmbedder
from memory_core.ports import Embedder
from memory_core.values import Embedding
from tests.fakes.embedder import FakeEmbedder

_FACTS = [
    "I moved to Porto in March because my daughter studies sailing there.",
    "The backup job writes to the old disk every night at two.",
    "Our neighbour bakes rye bread on Saturdays.",
]

_TOLD_AND_ASKED = {
    "Chinese": (
        ["我养了一只叫雪球的猫", "妹妹住在杭州", "星期五要去看牙医"],
        ["我的猫叫什么？", "妹妹住在哪里", "什么时候看牙医"],
    ),
    "Japanese": (
        ["札幌に引っ越しました", "猫の名前はタマです", "来週歯医者に行きます"],
        ["どこに引っ越しましたか", "猫の名前は何", "歯医者はいつ"],
    ),
    "Korean": (
        ["부산으로 이사했어요", "고양이 이름은 나비예요", "금요일에 치과에 가요"],
        ["부산", "고양이의 이름이 뭐예요?", "치과는 언제"],
    ),
    "Thai": (["ฉันย้ายไปเชียงใหม่", "แมวของฉันชื่อมะลิ", "วันศุกร์ฉันจะไปหาหมอฟัน"], ["เชียงใหม่", "แมวชื่ออะไร", "หาหมอฟันวันไหน"]),
    "Russian": (
        ["Я переехала в Казань", "Мою кошку зовут Дымка", "В пятницу иду к зубному"],
        ["Когда я переехала?", "Как зовут кошку?", "зубной в пятницу"],
    ),
    "Greek": (
        ["Μετακόμισα στην Πάτρα", "Η γάτα μου λέγεται Μαύρη", "Την Παρασκευή πάω οδοντίατρο"],
        ["Πότε μετακόμισα", "γάτα", "οδοντίατρο"],
    ),
    "Arabic": (
        ["انتقلت إلى الإسكندرية", "قطتي اسمها لولو", "يوم الجمعة موعد طبيب الأسنان"],
        ["الإسكندرية", "قطتي", "طبيب الأسنان"],
    ),
    "Hindi": (["मैं जयपुर चला गया", "मेरी बिल्ली का नाम मोती है", "शुक्रवार को दाँत के डॉक्टर"], ["जयपुर", "बिल्ली", "डॉक्टर"]),
    "Polish": (
        ["Przeprowadziłam się do Łodzi", "Mój kot ma na imię Mruczek", "W piątek idę do dentysty"],
        ["Łodzi", "imię kota Mruczek", "dentysty"],
    ),
}


@pytest.fixture(params=["fake", "real", "other", "process"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "fake":
        return FakeEmbedder()
    if request.param == "process":
        running: Any = request.getfixturevalue("running_index")
        return running.embedder
    return request.getfixturevalue(f"{request.param}_embedder")


def late(query: Embedding, passage: Embedding) -> float:
    return float((query.tokens @ passage.tokens.T).max(axis=1).sum())


def overlap(query: Embedding, passage: Embedding) -> int:
    return len(set(query.sparse.indices) & set(passage.sparse.indices))


def assert_well_formed(embedding: Embedding) -> None:
    assert embedding.dense.dtype == np.float32
    assert np.linalg.norm(embedding.dense) == pytest.approx(1, abs=1e-4)
    assert embedding.tokens.dtype == np.float32
    assert embedding.tokens.ndim == 2
    assert len(embedding.tokens) <= 64
    assert np.isfinite(embedding.tokens).all()
    assert len(set(embedding.sparse.indices)) == len(embedding.sparse.indices) == len(embedding.sparse.values)
    assert all(0 <= index < 2**32 for index in embedding.sparse.indices)
    assert all(value > 0 for value in embedding.sparse.values)


def test_model_has_a_name(embedder: Embedder) -> None:
    assert embedder.model
    assert embedder.model == embedder.model


def test_passages_come_back_in_the_order_given(embedder: Embedder) -> None:
    texts = [*_FACTS, "Tea.", _FACTS[0] * 8]
    together = embedder.embed_passages(texts)
    assert len(together) == len(texts)
    for text, embedding in zip(texts, together, strict=True):
        alone = embedder.embed_passages([text])[0]
        # Weights of 8 bits are scaled by what else is in the batch.
        assert float(alone.dense @ embedding.dense) > 0.98
        assert alone.sparse.indices == embedding.sparse.indices


def test_no_passages_are_no_embeddings(embedder: Embedder) -> None:
    assert embedder.embed_passages([]) == []


@pytest.mark.parametrize(
    "text", ["", "   ", "🎉", "the of and", "x", "word " * 20_000, "猫" * 3_000, "\u0301\u200b\ufeff"]
)
def test_any_text_has_vectors(embedder: Embedder, text: str) -> None:
    assert_well_formed(embedder.embed_passages([text])[0])
    assert_well_formed(embedder.embed_query(text))


def test_passage_rows_have_unit_norm(embedder: Embedder) -> None:
    for embedding in embedder.embed_passages(_FACTS):
        assert_well_formed(embedding)
        assert len(embedding.tokens) > 0
        assert np.linalg.norm(embedding.tokens, axis=1) == pytest.approx(1, abs=1e-3)


def test_weights_of_a_question_add_up_to_one(embedder: Embedder) -> None:
    rows = embedder.embed_query("Why did the ferry to Porto leave so late?").tokens
    assert np.linalg.norm(rows, axis=1).sum() == pytest.approx(1, abs=1e-3)


def test_keywords_of_a_question_weigh_one(embedder: Embedder) -> None:
    assert set(embedder.embed_query("ferry ferry Porto").sparse.values) == {1.0}


def test_a_text_meets_itself_with_a_late_score_of_about_one(embedder: Embedder) -> None:
    for fact, passage in zip(_FACTS, embedder.embed_passages(_FACTS), strict=True):
        assert 0.9 < late(embedder.embed_query(fact), passage) < 1.001


def test_the_answer_is_nearest(embedder: Embedder) -> None:
    passages = embedder.embed_passages(_FACTS)
    for answer, question in enumerate(
        ("I moved to Porto?", "On which disk writes the backup job?", "Who bakes bread?")
    ):
        query = embedder.embed_query(question)
        assert int(np.argmax([late(query, passage) for passage in passages])) == answer
        assert int(np.argmax([float(query.dense @ passage.dense) for passage in passages])) == answer


@pytest.mark.parametrize("language", list(_TOLD_AND_ASKED))
def test_every_language_is_found_by_late_score_and_keywords(real_embedder: FastembedEmbedder, language: str) -> None:
    told, asked = _TOLD_AND_ASKED[language]
    passages = real_embedder.embed_passages(told)
    for wanted, question in enumerate(asked):
        query = real_embedder.embed_query(question)
        scores = [late(query, passage) for passage in passages]
        assert int(np.argmax(scores)) == wanted, question
        assert scores[wanted] > 0.3
        assert overlap(query, passages[wanted]) > 0, question


def test_quiet_words_do_not_count(embedder: Embedder) -> None:
    question = "What does Marguerite grow on her balcony?"
    name_only = embedder.embed_passages(["Marguerite phoned the plumber."])[0]
    loud = late(embedder.embed_query(question), name_only)
    quiet = late(embedder.embed_query(question, quiet=["marguerite"]), name_only)
    assert quiet < loud - 0.1
    assert np.linalg.norm(embedder.embed_query(question, quiet=["marguerite"]).tokens, axis=1).sum() == pytest.approx(
        1, abs=1e-3
    )


@pytest.mark.parametrize("embedder", ["real", "other", "process"], indirect=True)
def test_the_model_reads_one_wording_and_keywords_come_from_the_other(embedder: Embedder) -> None:
    asked, reading = "What does Marguerite grow?", "What do you grow?"
    both = embedder.embed_query(asked, reading=reading)
    read = embedder.embed_query(reading)
    np.testing.assert_allclose(both.tokens, read.tokens, atol=1e-6)
    np.testing.assert_allclose(both.dense, read.dense, atol=1e-6)
    assert both.sparse.indices == embedder.embed_query(asked).sparse.indices != read.sparse.indices


def test_quiet_words_count_when_nothing_else_is_left(real_embedder: FastembedEmbedder) -> None:
    name_only = real_embedder.embed_passages(["Marguerite phoned the plumber."])[0]
    assert late(real_embedder.embed_query("Marguerite?", quiet=["marguerite"]), name_only) > 0.5


def test_quiet_words_of_other_scripts_do_not_count(real_embedder: FastembedEmbedder) -> None:
    question = "Что Марина сажает на балконе?"
    rows = real_embedder.embed_query(question).tokens
    assert len(real_embedder.embed_query(question, quiet=["марина"]).tokens) == len(rows) - 1


def test_many_threads_get_what_one_gets(embedder: Embedder) -> None:
    alone = [embedder.embed_query(fact) for fact in _FACTS]
    differences: list[float] = []

    def ask() -> None:
        for fact, expected in zip(_FACTS, alone, strict=True):
            differences.append(float(np.abs(embedder.embed_query(fact).dense - expected.dense).max()))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(differences) == 18
    assert max(differences) < 1e-5
