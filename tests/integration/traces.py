"""Looking for a word in every file of a folder, in every form in which it could have been written."""

import base64
import gzip
import json
import unicodedata
import zlib
from collections.abc import Iterator
from pathlib import Path

_GZIP, _ZLIB = b"\x1f\x8b", b"\x78"
_MOST_BYTES = 100_000_000
_CODED = 4
"""Characters of base64 for three bytes."""


def forms_of(word: str) -> frozenset[bytes]:
    """The bytes of a word: in Unicode forms and cases, encodings, JSON escapes, and in base64 at each offset."""
    shapes = {
        unicodedata.normalize(form, shape)
        for shape in (word, word.casefold(), word.upper(), word.title())
        for form in ("NFC", "NFD", "NFKC")
    }
    plain = {shape.encode(encoding) for shape in shapes for encoding in ("utf-8", "utf-16-le", "utf-16-be")}
    plain |= {json.dumps(shape)[1:-1].encode() for shape in shapes}
    return frozenset(plain | {one for form in plain for one in _in_base64(form)})


def traces(folder: Path, word: str) -> list[str]:
    """Files below a folder that hold a word, packed ones included."""
    forms = forms_of(word)
    return sorted(
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if file.is_file() and any(form in content for content in _contents(file) for form in forms)
    )


def _contents(file: Path) -> Iterator[bytes]:
    content = file.read_bytes()
    yield content
    if content.startswith(_GZIP):
        yield gzip.decompress(content)
    for place in _places(content, _ZLIB):
        try:
            yield zlib.decompressobj().decompress(content[place:], _MOST_BYTES)
        except zlib.error:
            continue


def _places(content: bytes, mark: bytes) -> Iterator[int]:
    """Where something packed may begin: files of ours are either packed whole or hold packed columns."""
    place = content.find(mark)
    while place >= 0:
        if content[place + 1 : place + 2] in (b"\x01", b"\x5e", b"\x9c", b"\xda"):
            yield place
        place = content.find(mark, place + 1)


def _in_base64(form: bytes) -> Iterator[bytes]:
    for offset in range(3):
        coded = base64.b64encode(bytes(offset) + form)
        whole = coded[_CODED * (offset > 0) : len(coded) - _CODED]
        if len(whole) >= 2 * _CODED:
            yield whole
