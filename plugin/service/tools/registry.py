"""Every tool by its name."""

from collections.abc import Mapping

from plugin.service.tools import creative, dreaming, forgetting, reading, writing
from plugin.service.tools.base import Tool


def registry() -> Mapping[str, Tool]:
    """The tools of one service; each service keeps its own previews."""
    tools = (
        reading.SEARCH,
        reading.GET,
        reading.LIST,
        writing.STORE,
        writing.CONSOLIDATE,
        dreaming.DREAM,
        forgetting.make(forgetting.Previews()),
        creative.CAPTURE,
        creative.RECALL,
        creative.STATUS,
    )
    return {tool.name: tool for tool in tools}
