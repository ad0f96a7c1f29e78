"""What was told in any language, or names things exactly, is found among the rest: real model, real index."""

import re
from collections.abc import Generator
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from memory_core.adapters.fastembed_embedder import FastembedEmbedder
from memory_core.adapters.index_layout import BUNDLED
from memory_core.adapters.qdrant_edge_index import QdrantEdgeIndex
from memory_core.bootstrap import MemoryCore, Ports, compose_core
from memory_core.capture.service import LiveTurn
from memory_core.capture.storing import StoreRequest
from memory_core.identity import resolve_scope
from memory_core.recall.finding import Question
from memory_core.recall.service import RecallRequest
from memory_core.values import SessionRef
from tests.fakes.clock import FakeClock
from tests.fakes.flow_engine import FakeFlowEngine
from tests.integration.cores import ANA, settings_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Facts that somebody told, and questions with the number of the fact that answers."""

    facts: tuple[str, ...]
    asked: tuple[tuple[str, int], ...]


CASES = {
    "Chinese": Told(
        facts=(
            "我住在杭州西湖附近的一间公寓里。",
            "我女儿对花生过敏，不能吃。",
            "我每个星期三晚上去学吉他。",
            "我的车停在地下二层的停车场。",
            "我们公司用的数据库是达梦。",
        ),
        asked=(("女儿对什么过敏？", 1), ("我住在哪里？西湖附近吗", 0), ("什么时候学吉他？", 2), ("车停在哪一层？", 3)),
    ),
    "Japanese": Told(
        facts=(
            "私は札幌の古いアパートに住んでいます。",
            "息子は卵アレルギーがあります。",
            "毎週木曜日に陶芸教室に通っています。",
            "自転車の鍵は玄関の棚に置いてあります。",
            "来月から図書館で働きます。",
        ),
        asked=(
            ("息子のアレルギーは何ですか", 1),
            ("陶芸教室は何曜日？", 2),
            ("自転車の鍵はどこ？", 3),
            ("札幌のアパート", 0),
        ),
    ),
    "Korean": Told(
        facts=(
            "저는 부산 해운대에서 살고 있어요.",
            "제 딸은 새우 알레르기가 있어요.",
            "매주 화요일 저녁에 피아노를 배워요.",
            "자동차 열쇠는 서랍 안에 있어요.",
            "우리 고양이 이름은 나비예요.",
        ),
        asked=(
            ("딸의 알레르기가 뭐였지?", 1),
            ("피아노는 언제 배워?", 2),
            ("고양이 이름이 뭐야?", 4),
            ("해운대에서 살아?", 0),
        ),
    ),
    "Thai": Told(
        facts=(
            "ฉันอาศัยอยู่ที่เชียงใหม่กับครอบครัว",
            "ลูกสาวของฉันแพ้กุ้ง",
            "ฉันเรียนเปียโนทุกวันอังคาร",
            "กุญแจรถอยู่ในลิ้นชักห้องครัว",
            "แมวของเราชื่อมะลิ",
        ),
        asked=(("ลูกสาวแพ้อะไร", 1), ("เรียนเปียโนวันไหน", 2), ("กุญแจรถอยู่ที่ไหน", 3), ("แมวชื่ออะไร", 4)),
    ),
    "Russian": Told(
        facts=(
            "Я живу в Казани недалеко от набережной.",
            "У моей дочери аллергия на арахис.",
            "По средам я хожу на занятия керамикой.",
            "Ключи от гаража лежат в синей коробке.",
            "Моего начальника зовут Тимур Ахметов.",
        ),
        asked=(
            ("На что аллергия у дочери?", 1),
            ("Где лежат ключи от гаража?", 3),
            ("Как зовут моего начальника?", 4),
            ("В каком городе я живу?", 0),
        ),
    ),
    "French": Told(
        facts=(
            "J'habite à Besançon, près de la citadelle.",
            "Ma sœur Héloïse élève des chèvres.",
            "Le code de la boîte à clés est derrière le thé.",
            "Mon médecin généraliste s'appelle Docteur Lefèvre.",
            "Je fais de l'aviron le dimanche.",
        ),
        asked=(
            ("Comment s'appelle mon medecin ?", 3),
            ("Que fait ma soeur Heloise ?", 1),
            ("Où j'habite ? près de la citadelle", 0),
            ("le code de la boite à cles", 2),
        ),
    ),
    "Spanish": Told(
        facts=(
            "Vivo en León, cerca de la catedral.",
            "Mi hermano Iñaki es alérgico a los mariscos.",
            "Los jueves por la tarde juego al bádminton.",
            "La contraseña del portátil está en el cajón.",
            "Mi jefa se llama Begoña Ibáñez.",
        ),
        asked=(
            ("¿A qué es alergico Inaki?", 1),
            ("¿Cómo se llama mi jefa?", 4),
            ("¿Cuándo juego al badminton?", 2),
            ("¿Dónde está la contrasena?", 3),
        ),
    ),
    "Portuguese": Told(
        facts=(
            "Moro em Évora com a minha avó.",
            "A minha filha é alérgica ao pólen.",
            "Às quartas-feiras tenho aula de violão.",
            "As chaves da garagem estão na gaveta.",
            "O meu cão chama-se Trovão.",
        ),
        asked=(
            ("Como se chama o meu cao?", 4),
            ("A que é que a minha filha é alergica?", 1),
            ("Quando tenho aula de violao?", 2),
            ("Onde estão as chaves da garagem?", 3),
        ),
    ),
    "short tokens": Told(
        facts=(
            "The scheduler of our team is written in Go.",
            "The firmware of the sensor is written in C.",
            "The renderer is written in C++ and nobody dares to touch it.",
            "Our AI policy forbids uploading customer data.",
            "The statistics course is taught in R this year.",
        ),
        asked=(
            ("What did we write in Go?", 0),
            ("Which part is written in C++?", 2),
            ("What does the AI policy say?", 3),
            ("Which course uses R?", 4),
            ("Which part is written in C?", 1),
        ),
    ),
    "identifiers": Told(
        facts=(
            "The retry limit is called max_retry_count in the config.",
            "We renamed the handler to handleInvoiceUpload last sprint.",
            "The nightly dump goes to /srv/backup/nightly/db.dump on the old server.",
            "Version 4.12.3 broke the export of timesheets.",
            "The heat pump shows error E1047 when the filter is clogged.",
            "The certificate of api.heron-freight.example expires in June.",
        ),
        asked=(
            ("what is max_retry_count", 0),
            ("the retry count setting", 0),
            ("handleInvoiceUpload", 1),
            ("Which handler is for the invoice upload?", 1),
            ("what is in /srv/backup/nightly", 2),
            ("what broke in 4.12.3?", 3),
            ("what does E1047 mean?", 4),
            ("api.heron-freight.example", 5),
        ),
    ),
}


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory, real_embedder: FastembedEmbedder) -> Generator[MemoryCore]:
    home = tmp_path_factory.mktemp("languages")
    index = QdrantEdgeIndex.create(home / "shard", layout=BUNDLED, name="test")
    ports = Ports(clock=FakeClock(), index=index, embedder=real_embedder, engine=FakeFlowEngine())
    try:
        with compose_core(settings_for(home), ports) as found:
            yield found
    finally:
        index.close()


def somebody(language: str, way: str) -> SessionRef:
    """A person of their own for each case, so that all share one index without meeting."""
    return replace(ANA, sender_id=f"{language}-{way}".replace(" ", "-"), session_key=f"agent:main:{language}:{way}")


def tell(core: MemoryCore, ref: SessionRef, *, facts: tuple[str, ...]) -> None:
    """Say the facts in a conversation, and consolidate it."""
    for number, fact in enumerate(facts):
        at = core.clock.now() + timedelta(minutes=number)
        core.capture.accept(ref, LiveTurn(turn_key=f"t{number}", at=at, user_text=fact, assistant_text="OK."))
    scope = resolve_scope(ref, core.settings.identity).writes
    assert scope is not None
    core.consolidation.run(scope, through=1_000_000, on_batch=lambda _: None)
    core.indexing.apply_due()


def store(core: MemoryCore, ref: SessionRef, *, facts: tuple[str, ...]) -> None:
    """Store the facts with the tool."""
    scope = resolve_scope(ref, core.settings.identity)
    for fact in facts:
        assert core.storing.store(scope, StoreRequest(text=fact)).outcome.memory is not None
    core.indexing.apply_due()


def found(core: MemoryCore, ref: SessionRef, *, question: str) -> list[str]:
    """Texts that a search finds, best first."""
    scope = resolve_scope(ref, core.settings.identity)
    asked = Question(text=question, at=core.clock.now() + timedelta(days=1), zone="UTC", asker=scope.speaker)
    # Capture adds what a relative date means, in brackets.
    return [re.sub(r" \([^()]*\d{4}\)", "", entry.row.text) for entry in core.finder.rank(scope.reads, asked)]


@pytest.mark.parametrize("way", ["told", "stored"])
@pytest.mark.parametrize("language", list(CASES))
def test_the_right_memory_is_found_first(core: MemoryCore, *, language: str, way: str) -> None:
    case, ref = CASES[language], somebody(language, way)
    (tell if way == "told" else store)(core, ref, facts=case.facts)
    firsts = {question: found(core, ref, question=question)[0] for question, _ in case.asked}
    assert firsts == {question: case.facts[number] for question, number in case.asked}


@pytest.mark.parametrize("language", list(CASES))
def test_it_reaches_the_agent_before_the_turn(core: MemoryCore, language: str) -> None:
    case, ref = CASES[language], somebody(language, "recalled")
    store(core, ref, facts=case.facts)
    at = core.clock.now() + timedelta(days=1)
    missed = [
        question
        for question, number in case.asked
        if case.facts[number] not in core.recall.recall(ref, RecallRequest(message=question, at=at)).context
    ]
    assert missed == []
