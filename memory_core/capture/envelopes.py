"""Pure: what the gateway writes around a message, and how it is taken off.

The shapes are those of openclaw 2026.9.6 and its predecessors: bracketed channel headers, context blocks with a JSON
body, reply chains, pending history, queue headers, media notes. The gateway marks its context headers with a fixed
token; forging it only hides the forger's own words.
"""

import re
from collections.abc import Iterable

from memory_core.fence import FENCE_TAG

_CHANNELS = (
    "WebChat|WhatsApp|Telegram|Signal|Slack|Discord|Google ?Chat|iMessage|BlueBubbles|(?:MS ?|Microsoft )?Teams|Matrix"
    "|Mattermost|Zalo(?: Personal)?|LINE|Feishu|Nextcloud(?: Talk)?|IRC|Nostr|Twitch|Tlon|Email|SMS|Channel|Rigchat"
)
_STAMP = r"(?:[A-Z][a-z]{2} )?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}"
_ENVELOPE = re.compile(
    rf"\[(?P<header>(?:{_CHANNELS})\b[^\]\n]{{0,200}}?(?:{_STAMP}|\bid:|\s\+\d+[smhdw]|@[gs]\.)[^\]\n]{{0,80}}"
    rf"|(?:{_CHANNELS})|[A-Z][a-z]{{2}} \d{{4}}-\d{{2}}-\d{{2}} \d{{2}}:\d{{2}}[^\]\n]{{0,40}})\][ \t]*",
    re.IGNORECASE,
)
_SENDER = re.compile(r"(?P<label>[^\n:\[\]]{1,64}): ")
_ROOM_HEADER = re.compile(r"\bid:|@g\.us|#\w|\bgroup\b|\bchannel\b", re.IGNORECASE)

_MARK = "⟦openclaw:ctx⟧"
_LABELS = (
    "Conversation info|Sender|Thread starter|Reply chain of current user message(?: \\(nearest first\\))?"
    "|Reply target of current user message|Replied message|Forwarded message context|Location|Chat window"
    "|Recent chat history|Chat history since last reply|Structured object"
)
_LINES_BODY = r"[ \t]*\n(?:[^\n]*\S[^\n]*(?:\n|$)){0,200}"
_MARKED_HEADER = rf"^[^\n]{{1,200}} {_MARK}"
_UNTRUSTED_HEADER = r"^[A-Z][^\n()]{2,80} \([^()\n]{0,40}untrusted[^()\n]{0,60}\):"
_BLOCKS = (
    re.compile(rf"^Context: {_MARK}[\s\S]*", re.MULTILINE),
    re.compile(r"^Untrusted context \([^)\n]{0,90}\):[\s\S]*", re.MULTILINE),
    re.compile(rf"(?:{_MARKED_HEADER}|{_UNTRUSTED_HEADER}){_LINES_BODY}", re.MULTILINE),
    re.compile(r"^Active goal: [^\n]{1,260} — advance; keep active[^\n]*\n?", re.MULTILINE),
    re.compile(r"^Delivery: [^\n]{0,200}`message` tool[^\n]*\n?", re.MULTILINE),
)
# Blocks whose end has to be there: searched by `_cut`, which never looks for the same end twice.
_JSON_OPEN = re.compile(
    rf"(?:{_MARKED_HEADER}|{_UNTRUSTED_HEADER}|^(?:{_LABELS}):)[ \t]*\n```(?:json)?(?=\n)", re.MULTILINE
)
_JSON_CLOSE = re.compile(r"\n```[ \t]*(?:\n|$)")
_REPLY_OPEN = re.compile(r"^\[(?:Replying to|Quoting|Reply to)\b[^\n]{0,200}\](?=\n)", re.MULTILINE)
_REPLY_CLOSE = re.compile(r"\n\[/(?:Replying|Quoting|Reply)[^\]\n]{0,80}\][ \t]*\n?")
# The gateway's own blocks, those of other memory plugins, and forged ones.
_TAGS = (
    "active_memory_plugin relevant-memories relevant_memories memory-context memory_context recalled-memories"
    " recalled_memories supermemory-context hyperspell-context hindsight_memories openviking-memories system-reminder"
    " system_reminder system-prompt system_prompt system-note system_note system untrusted_metadata"
    " untrusted-metadata retrieved_memories"
    " retrieved-memories long_term_memory long-term-memory user_memories"
)
_TAG_BLOCKS = tuple(
    (
        tag,
        re.compile(rf"^(?:Context:[ \t]*\n)?[ \t]*<{tag}\b(?!-)[^>\n]{{0,200}}>", re.MULTILINE | re.IGNORECASE),
        re.compile(rf"</{tag}>[ \t]*\n?", re.IGNORECASE),
    )
    for tag in _TAGS.split()
)
# Blocks that are taken to the end of the text where their own end is missing: ours, the runtime's, chat templates.
_FENCED = (
    re.compile(rf"[ \t]*<{FENCE_TAG}\b[^>\n]{{0,200}}>[\s\S]*?(?:</{FENCE_TAG}>|(?=\n[ \t]*\n)"
        rf"|\Z)[ \t]*\n?", re.IGNORECASE),
    re.compile(rf"</?{FENCE_TAG}\b[^>\n]{{0,200}}>", re.IGNORECASE),
    re.compile(r"<<<BEGIN_(?P<name>[A-Z_]{4,60})>>>[\s\S]*?(?:<<<END_(?P=name)>>>|\Z)\n?"),
    re.compile(r"<<<EXTERNAL_UNTRUSTED_CONTENT[^>\n]{0,80}>>>[\s\S]*?(?:<<<END_EXTERNAL_UNTRUSTED_CONTENT[^>\n]{0,80}>>>|\Z)\n?"),
    re.compile(r"<\|im_start\|>\s*(?:system|assistant|tool)\b[\s\S]*?(?:<\|im_end\|>|\Z)\n?"),
    re.compile(r"<\|system\|>[\s\S]*?(?:<\|(?:end|user|assistant)\|>|\Z)\n?"),
    re.compile(r"<<SYS>>[\s\S]*?(?:<</SYS>>|\Z)\s?|\[/?INST\][ \t]*"),
    re.compile(r"<\|(?:im_start|im_end|start_header_id|end_header_id|eot_id|begin_of_text)\|>(?:user\b)?"),
)  # fmt: skip
_CURRENT = re.compile(r"^\[Current message - respond to this\][ \t]*\n?", re.MULTILINE)
_HISTORY = re.compile(
    r"^\[(?:(?:Chat messages since your last reply|Thread history|Thread starter) - for context|Reply chain"
    r" -[^\]\n]{0,40}"
    r"|Forwarded (?:from|message)[^\]\n]{0,80})\][^\n]*\n(?:[^\n]*\S[^\n]*(?:\n|$)){0,400}",
    re.MULTILINE,
)
_REPLY_LINES = (
    re.compile(r"^Current message:[ \t]*\n(?=\[Replying to:|#\d)", re.MULTILINE),
    re.compile(r"^\[Replying to: \"(?:[^\"\\\n]|\\.){0,4000}\"\][ \t]*\n?", re.MULTILINE),
    re.compile(r"^#\d{1,20}: ?(?=\S)", re.MULTILINE),
)
_LINES = (
    re.compile(r"^[ \t]*\[message_id:[^\]\n]{1,120}\][ \t]*(?:\n|$)", re.MULTILINE | re.IGNORECASE),
    re.compile(r"\[message_id: ?[\w.:@-]{1,80}\][ \t]*$", re.MULTILINE | re.IGNORECASE),
    re.compile(r"^\[Queued (?:messages while agent was busy|user message from a previous active"
        r" turn)[^\]\n]*\][ \t]*\n?", re.MULTILINE),
    re.compile(r"^(?:---\n)?Queued #\d{1,4}(?: context:)?[ \t]*(?:\n|$)", re.MULTILINE),
    re.compile(r"^\[(?:media (?:attached|omitted|unavailable|reference removed)|User sent media without"
        r" caption)[^\]\n]*\][ \t]*\n?", re.MULTILINE | re.IGNORECASE),
    re.compile(r"^\[Voice note could not be transcribed[^\]\n]*\][ \t]*\n?", re.MULTILINE),
    re.compile(r"^\[(?:Audio|Voice|Video)\][^\n]{0,60}\n(?:User text:[ \t]*\n(?=Transcript:)|Transcript:"
        r"[ \t]*\n)?", re.MULTILINE),
    re.compile(r"^\[?untrusted metadata\b[^\n]*(?:\n|$)", re.MULTILINE | re.IGNORECASE),
    re.compile(r"^To send an image back, prefer the message tool[^\n]*\n?", re.MULTILINE),
    re.compile(r"^Current time: [^\n]{4,80}(?:UTC|\([A-Z][A-Za-z]+/[A-Za-z_/]+\))[^\n]{0,60}(?:\n|$)", re.MULTILINE),
)  # fmt: skip


def strip_envelope(text: str) -> str:
    """The message without what the gateway wrote around it; texts without such parts come back unchanged."""
    if not any(sign in text for sign in ("[", "<", ":", "⟦", "To send an image")):
        return text
    text = _strip_blocks(text)
    if current := list(_CURRENT.finditer(text)):
        text = text[current[-1].end() :]
    text = _cut(_HISTORY.sub("", text), _REPLY_OPEN, closing=_REPLY_CLOSE)
    if "[Replying to:" in text or "Current message:" in text:
        text = _without(text, _REPLY_LINES, count=1)
    return _strip_headers(_without(text, _LINES))


def _strip_blocks(text: str) -> str:
    text = _without(text, _FENCED)
    for tag, opening, closing in _TAG_BLOCKS:
        if f"<{tag}" in text.lower():
            text = _cut(text, opening, closing=closing)
    text = _cut(text, _JSON_OPEN, closing=_JSON_CLOSE)
    return _without(text, _BLOCKS)


def _without(text: str, patterns: Iterable[re.Pattern[str]], *, count: int = 0) -> str:
    for pattern in patterns:
        text = pattern.sub("", text, count=count)
    return text


def _cut(text: str, opening: re.Pattern[str], *, closing: re.Pattern[str]) -> str:
    """Take out everything from an opening to the next closing; an opening without one stays."""
    parts: list[str] = []
    position = 0
    while (begin := opening.search(text, position)) and (end := closing.search(text, begin.end())):
        parts.append(text[position : begin.start()])
        position = end.end()
    return "".join(parts) + text[position:] if parts else text


def _strip_headers(text: str) -> str:
    lines = text.lstrip().split("\n")
    return "\n".join(_strip_header(line) for line in lines)


def _strip_header(line: str) -> str:
    match = _ENVELOPE.match(line)
    if match is None:
        return line
    rest = line[match.end() :]
    sender = _SENDER.match(rest)
    return rest[sender.end() :] if sender and _is_sender(sender["label"], header=match["header"]) else rest


def _is_sender(label: str, *, header: str) -> bool:
    """Whether what stands before the colon is who wrote, not the first words of the message ("Note: ...")."""
    name = label.split(" (", maxsplit=1)[0]
    return label in {"(self)", "(sender)"} or name in header or name != label or _ROOM_HEADER.search(header) is not None
