"""Every tool by its name."""

from collections.abc import Mapping

from plugin.service.tools import forgetting, reading, writing
from plugin.service.tools.base import Tool


def registry() -> Mapping[str, Tool]:
    """The tools of one service; each service keeps its own previews."""
    tools = (
        reading.SEARCH,
        reading.GET,
        reading.LIST,
        writing.STORE,
        writing.CONSOLIDATE,
        forgetting.make(forgetting.Previews()),
    )
    return {tool.name: tool for tool in tools}
