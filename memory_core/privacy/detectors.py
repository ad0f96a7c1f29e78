"""From a text to its sensitive stretches."""

from memory_core.privacy.personal_data import find_personal_data
from memory_core.privacy.secret_commands import find_command_secrets
from memory_core.privacy.secret_context import find_named_secrets
from memory_core.privacy.secret_formats import find_formatted_secrets
from memory_core.privacy.spans import Span, blank, join


def find_sensitive(text: str, *, pii: bool) -> list[Span]:
    """Everything in the text that must not be kept.

    Args:
        text: Any text.
        pii: Also personal data, not only secrets.

    Returns:
        Spans in ascending order without overlap.
    """
    secrets = join([*find_formatted_secrets(text), *find_command_secrets(text), *find_named_secrets(text)])
    if not pii:
        return secrets
    # Secrets first: `user:password@host.example` holds what looks like an e-mail address.
    return join([*secrets, *find_personal_data(blank(text, secrets))])
