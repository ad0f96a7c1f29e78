"""Whether answers leave at once, or wait for the other side's delayed acknowledgement as Nagle's algorithm has it."""

import time

import httpx

DELAYED_ACKNOWLEDGEMENT_MS = 40
"""Of Linux; a load only adds to it, so the quickest of some answers tells."""
_WARM_UP, _ASKED = 40, 15
"""A new connection acknowledges the first packets at once."""


def quickest_answer_ms(client: httpx.Client, path: str) -> float:
    """Of some GET requests over one connection."""
    quickest = float("inf")
    for number in range(_WARM_UP + _ASKED):
        began_s = time.perf_counter()
        client.get(path).raise_for_status()
        if number >= _WARM_UP:
            quickest = min(quickest, (time.perf_counter() - began_s) * 1000)
    return quickest
