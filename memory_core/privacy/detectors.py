"""From a text to its sensitive stretches."""

from collections.abc import Iterator, Sequence

from memory_core.privacy.near import source_of, spots_of
from memory_core.privacy.personal_data import find_personal_data
from memory_core.privacy.secret_commands import find_command_secrets
from memory_core.privacy.secret_context import find_named_secrets
from memory_core.privacy.secret_formats import find_formatted_secrets, find_private_keys
from memory_core.privacy.secret_neighbours import find_neighbours
from memory_core.privacy.slices import find_in_slices
from memory_core.privacy.spans import Span, blank, join

_SECRETS = (find_formatted_secrets, find_command_secrets, find_named_secrets, find_neighbours)
_REPEATED_CHARS = 6
"""Shorter values may stand elsewhere by chance."""
_REPEATED_VALUES = 100
"""How many values are looked for again; bounds the time on texts made of secrets."""


def find_sensitive(text: str, *, pii: bool) -> list[Span]:
    """Everything in the text that must not be kept.

    Args:
        text: Any text.
        pii: Also personal data, not only secrets.

    Returns:
        Spans in ascending order without overlap.
    """
    keys = find_private_keys(text)
    secrets = join([*keys, *find_in_slices(text, _secrets)])
    secrets = join([*secrets, *_repeats(text, secrets)])
    if not pii:
        return secrets
    # Secrets first: `user:password@host.example` holds what looks like an e-mail address.
    return join([*secrets, *find_in_slices(blank(text, secrets), find_personal_data)])


def _secrets(text: str) -> Iterator[Span]:
    source = source_of(text)
    for find in _SECRETS:
        yield from find(source)


def _repeats(text: str, secrets: Sequence[Span]) -> Iterator[Span]:
    """Other places where a secret that was found stands again, without a word that tells."""
    kinds = {text[span.start : span.end]: span.kind for span in secrets}
    values = [value for value in kinds if len(value) >= _REPEATED_CHARS and any(c.isdigit() for c in value)]
    for value in sorted(values, key=len, reverse=True)[:_REPEATED_VALUES]:
        for start, end in spots_of(text, [value]):
            yield Span(start=start, end=end, kind=kinds[value])
