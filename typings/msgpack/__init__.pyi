from typing import Any

class UnpackException(Exception): ...

def packb(o: object, /, *, use_bin_type: bool = ...) -> bytes: ...
def unpackb(
    packed: bytes | bytearray | memoryview,
    /,
    *,
    raw: bool = ...,
    strict_map_key: bool = ...,
) -> Any: ...
