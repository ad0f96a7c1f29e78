"""Nothing of another scope is shown, on any way of reading, whoever asks and under whichever rule."""

import asyncio
import re
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from memory_core.bootstrap import MemoryCore
from memory_core.capture.storing import StoreRequest
from memory_core.context.messages import Message, read_message
from memory_core.creative.capturing import CaptureRequest
from memory_core.errors import NotFound
from memory_core.gate.service import Stream
from memory_core.identity import resolve_scope
from memory_core.recall.service import RecallRequest
from memory_core.settings import ScopeRule
from memory_core.values import JobId, PointFilter, Scope, ScopeKey
from plugin.service.tools.base import ToolCall
from plugin.service.tools.registry import registry
from tests.integration.cores import World, opened
from tests.integration.crowds import Piece, Voice, crowds, may_see
from tests.integration.leaky_parts import LeakyIndex, leaking

ASKED = "the harbour lantern"
TOKEN = re.compile(r"tok\d{4}")
GATE = {"gate.focus": 0.0, "gate.sensitivity": 1.0, "gate.forceRepass": True}
CASES_WANTED = 10_000
_SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)
PROJECT, SPACE = "harbour", "plans"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a way of reading showed to somebody."""

    way: str
    reader: Voice
    rule: ScopeRule
    tokens: frozenset[str]


@dataclass(slots=True, kw_only=True)
class Town:
    """One set of tables with a core for each rule, what was said in it, and how much was read."""

    worlds: dict[ScopeRule, World]
    pieces: list[Piece] = field(default_factory=list[Piece])
    reads: int = 0

    def leaks(self, shown: Sequence[Shown]) -> list[tuple[str, str, str]]:
        """What was shown and may not be seen: way, reader, word."""
        by_token = {piece.token: piece for piece in self.pieces}
        return [
            (one.way, repr(one.reader.ref), token)
            for one in shown
            for token in sorted(one.tokens)
            if not may_see(one.reader, rule=one.rule, piece=by_token[token])
        ]


@contextmanager
def town(template: Path, rules: Sequence[ScopeRule], **overrides: Any) -> Generator[Town]:
    """Open a town in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        home = Path(folder)
        shutil.copy(template, home / "nightshift.sqlite3")
        worlds: dict[ScopeRule, World] = {}
        for rule in rules:
            like = next(iter(worlds.values()), None)
            worlds[rule] = stack.enter_context(opened(home, overrides={"scope": rule, **GATE, **overrides}, like=like))
        yield Town(worlds=worlds)


def scope_of(world: World, voice: Voice) -> Scope:
    return resolve_scope(voice.ref, world.core.settings.identity)


def inhabit(found: Town, writers: Sequence[Voice]) -> None:
    """Let everybody store, make and say something under each rule."""
    for rule, world in found.worlds.items():
        for voice in writers:
            scope = scope_of(world, voice)
            for way in (_store, _make, _say, _commit):
                token = f"tok{len(found.pieces):04d}"
                kref, job_id = way(world, voice, scope, token)
                found.pieces.append(Piece(token=token, voice=voice, rule=rule, kref=kref, job_id=job_id))
        world.run_jobs()
        for voice in writers[::2]:
            world.core.consolidation.run(
                scope_of(world, voice).writes or ScopeKey(""), through=10**6, on_batch=lambda _: None
            )
        world.core.indexing.apply_due()


def _store(world: World, _: Voice, scope: Scope, token: str) -> tuple[str, None]:  # noqa: PLR0917 one of a family
    stored = world.core.storing.store(scope, StoreRequest(text=f"In the harbour lantern {token} was lit"))
    assert stored.outcome.memory is not None, stored.outcome.reason
    return stored.outcome.memory.kref, None


def _make(world: World, _: Voice, scope: Scope, token: str) -> tuple[str, str]:  # noqa: PLR0917 one of a family
    request = CaptureRequest(
        title=f"Plan {token}",
        content=f"The harbour lantern {token} gets a new lens.",
        creative_project=PROJECT,
        project=SPACE,
        kind="plan",
    )
    accepted = world.core.capturing.capture(scope, request)
    assert accepted.job_id is not None, accepted.reason
    return f"kref://{PROJECT}/{SPACE}/plan-{token}.plan", accepted.job_id


def _say(world: World, voice: Voice, _: Scope, token: str) -> tuple[str, None]:  # noqa: PLR0917 one of a family
    world.say(f"The harbour lantern {token} was painted red in spring.", key=token, ref=voice.ref)
    return "", None


def _commit(world: World, voice: Voice, _: Scope, token: str) -> tuple[str, None]:  # noqa: PLR0917 one of a family
    said = [
        read_message("user", f"I saw the harbour lantern {token} from the ferry.", at=None, key=token),
        read_message("assistant", f"The lantern {token} is easily seen.", at=None),
    ]
    world.core.context.commit(voice.ref, said, key=token)
    return "", None


# -- the ways of reading


def walk(
    found: Town, readers: Sequence[Voice], *, core_of: Callable[[World], MemoryCore] = lambda w: w.core
) -> list[Shown]:
    """Let every reader read on every way, under each rule."""
    shown: list[Shown] = []
    with asyncio.Runner() as runner:
        for rule, world in found.worlds.items():
            core = core_of(world)
            for reader in readers:
                for way, said in _readings(found, core, reader=reader, runner=runner):
                    found.reads += 1
                    if tokens := frozenset(TOKEN.findall(said)):
                        shown.append(Shown(way=way, reader=reader, rule=rule, tokens=tokens))
    return shown


def _readings(found: Town, core: MemoryCore, *, reader: Voice, runner: asyncio.Runner) -> Iterator[tuple[str, str]]:
    scope = resolve_scope(reader.ref, core.settings.identity)
    call = ToolCall(core=core, ref=reader.ref, scope=scope)
    tools = registry()

    def tool(name: str, **arguments: Any) -> str:
        reply = runner.run(tools[name].call(call, arguments))
        asked = {str(value) for value in arguments.values()}
        # A refusal names what was asked for: that shows nothing that the asker didn't have.
        return "" if reply.is_error and any(one in reply.text for one in asked) else f"{reply.text} {reply.details}"

    yield from _recalls(core, reader)
    yield "search", tool("memory_search", query=ASKED, topK=50, includeSuperseded=True)
    yield "search for works", tool("memory_search", query=ASKED, topK=50, kind="artifact")
    for status in ("active", "superseded", "flagged", "deprecated"):
        yield f"list {status}", tool("memory_list", limit=200, status=status)
    yield "works", tool("creative_recall", space=SPACE, creativeProject=PROJECT)
    yield "works by query", tool("creative_recall", space=SPACE, creativeProject=PROJECT, query=ASKED, topK=50)
    for wish in ({"query": ASKED}, {"person": "me"}, {"sessionKey": reader.ref.session_key}, {"person": "lantern"}):
        yield f"forget {[*wish]}", tool("memory_forget", **wish)
    yield "export", " ".join(view.memory.text for view in core.library.everything(scope.reads))
    yield "buffer", " ".join(turn.text or "" for turn in core.forgetting.buffered(scope.reads))
    for piece in found.pieces:
        if piece.kref:
            yield "get", _without_asked(lambda piece=piece: _get(core, piece, scope=scope))
        if piece.job_id:
            yield "work by address", _without_asked(lambda piece=piece: _opened(core, piece, scope=scope))
            yield "job", _without_asked(lambda piece=piece: f"{core.capturing.state(scope, JobId(piece.job_id or ''))}")


def _recalls(core: MemoryCore, reader: Voice) -> Iterator[tuple[str, str]]:
    ref, at = reader.ref, core.clock.now()
    request = RecallRequest(message=ASKED, at=at, threshold=0, top_k=50, include_superseded=True, explain=True)
    recalled = core.recall.recall(ref, request)
    yield "recall", _told(recalled.context, [hit.memory.text for hit in recalled.found], recalled.trace)
    core.recall.look_ahead(ref, user_text=ASKED, assistant_text="It shines.", now=at)
    ahead = replace(request, message="yeah, that one", previous_user=ASKED, last_assistant="It shines.")
    yield "prefetch", _told(core.recall.recall(ref, replace(ahead, include_superseded=False)).context)
    yield "late", _told(core.recall.without_search(ref, ahead, reason="late").context)
    core.context.compact(ref, _SMALL_TALK, budget=60, force=True)
    yield "context", core.context.assemble(ref, _SMALL_TALK, prompt=ASKED, budget=None).addition
    core.gate.observe(ref, f"Well, {ASKED} stands in the north of the town. ", run_id="r", stream=Stream.ASSISTANT)
    yield "staged", core.context.assemble(ref, _SMALL_TALK, prompt="What else is new today?", budget=None).addition
    verdict = core.gate.finalize(ref, f"I don't know about {ASKED}.", run_id="s", tools_used=False)
    yield "revision", str(verdict.instruction)


_SMALL_TALK: list[Message] = [
    read_message(role, f"Number {number} of what was said about nothing at all", at=None)
    for number in range(12)
    for role in ("user", "assistant")
]


def _told(*parts: object) -> str:
    return " ".join(map(str, parts))


def _get(core: MemoryCore, piece: Piece, *, scope: Scope) -> str:
    view = core.library.get(piece.kref, scopes=scope.reads)
    return _told(view.memory.text, core.library.history(view.memory.id, scopes=scope.reads))


def _opened(core: MemoryCore, piece: Piece, *, scope: Scope) -> str:
    return core.creative.opened(scope.reads, piece.kref).content


def _without_asked(read: Callable[[], str]) -> str:
    try:
        return read()
    except NotFound:
        return ""


# -- the proof


PAIRS = (
    (ScopeRule.USER, ScopeRule.SENDER),
    (ScopeRule.FIXED, ScopeRule.AGENT),
    (ScopeRule.SESSION, ScopeRule.USER),
)
"""Two rules over the same tables, as after switching the setting: what was stored under the other one stays unseen."""


@pytest.mark.timeout(900)
def test_ten_thousand_reads_show_nothing_of_another_scope(sqlite_template: Path) -> None:
    reads = [_reads_without_leak(sqlite_template, rules, number=number) for number, rules in enumerate(PAIRS)]
    assert sum(reads) >= CASES_WANTED


def _reads_without_leak(template: Path, rules: Sequence[ScopeRule], *, number: int) -> int:
    reads: list[int] = []

    @seed(number)
    @settings(max_examples=2, deadline=None, phases=[Phase.generate], suppress_health_check=_SLOW, database=None)
    @given(crowd=crowds())
    def read_all(crowd: tuple[list[Voice], list[Voice]]) -> None:
        writers, listeners = crowd
        with town(template, rules) as found:
            inhabit(found, writers)
            shown = walk(found, [*writers, *listeners])
            assert found.leaks(shown) == []
            _check_own_is_seen(found, shown)
            reads.append(found.reads)

    read_all()
    return sum(reads)


def _check_own_is_seen(found: Town, shown: Sequence[Shown]) -> None:
    """Showing nothing at all would leak nothing either: what somebody stored or made, they see."""
    seen = {(one.rule, id(one.reader), token) for one in shown for token in one.tokens}
    for piece in found.pieces:
        assert (piece.rule, id(piece.voice), piece.token) in seen, piece


# -- the oracle sees a filter that is missing


@pytest.fixture
def full_town(sqlite_template: Path) -> Generator[tuple[Town, list[Voice]]]:
    with town(sqlite_template, [ScopeRule.USER]) as found:
        writers, listeners = _some_crowd()
        inhabit(found, writers)
        yield found, [*writers, *listeners]


def _some_crowd() -> tuple[list[Voice], list[Voice]]:
    drawn: list[tuple[list[Voice], list[Voice]]] = []

    @settings(max_examples=1, database=None, derandomize=True, suppress_health_check=_SLOW)
    @given(crowd=crowds())
    def draw(crowd: tuple[list[Voice], list[Voice]]) -> None:
        drawn.append(crowd)

    draw()
    return drawn[0]


@pytest.mark.parametrize(
    ("part", "ways"),
    [
        ("finder", {"search"}),
        ("library", {"get", "list active"}),
        ("creative", {"works", "work by address"}),
        ("capturing", {"job"}),
    ],
)
def test_a_missing_filter_is_seen(full_town: tuple[Town, list[Voice]], *, part: str, ways: set[str]) -> None:
    found, readers = full_town
    leaks = found.leaks(walk(found, readers[:4], core_of=lambda world: leaking(world.core, part)))
    assert ways <= {way for way, *_ in leaks}


def test_people_taken_for_one_another_are_seen(sqlite_template: Path) -> None:
    writers, _ = _some_crowd()
    linked = {"all": [f"{voice.ref.channel}:{voice.ref.sender_id}" for voice in writers if voice.ref.sender_id]}
    with town(sqlite_template, [ScopeRule.USER], identityLinks=linked) as found:
        inhabit(found, writers)
        leaks = found.leaks(walk(found, writers[::2]))
    assert {"recall", "prefetch", "context", "staged", "search", "get", "list active", "export"} <= {
        way for way, *_ in leaks
    }


def test_an_index_that_ignores_scopes_shows_nothing_by_itself(full_town: tuple[Town, list[Voice]]) -> None:
    found, readers = full_town
    world = found.worlds[ScopeRule.USER]
    leaky = LeakyIndex(points=dict(world.index.points))
    nowhere = PointFilter(scopes=(ScopeKey("nobody"),))
    assert leaky.search(world.embedder.embed_query(ASKED), where=nowhere, limit=9)
    with opened(world.core.settings.home, overrides=GATE, like=replace(world, index=leaky)) as other:
        leaking = replace(found, worlds={ScopeRule.USER: other})
        shown = walk(leaking, readers[:3])
    assert {"recall", "search"} <= {one.way for one in shown}
    assert found.leaks(shown) == []
