"""Pure: about how many tokens a text takes in a model's context, without a model's tokenizer.

English prose has about 4 characters a token, program text about 3, since each sign is one; a Chinese, Japanese, Korean
or Thai character takes about one token, letters of other scripts about half of one. The estimate errs on the high side:
a context that is a little too short costs nothing, one that is too long costs a failed request.
"""

import re
from math import ceil

MESSAGE_TOKENS = 5
"""What a message takes besides its words: role, delimiters."""
MEDIA_TOKENS = 1200
"""What a picture takes; providers differ, and none tells beforehand."""
_ASCII_CHARS = 3.9
_SIGNS = b"{}()[]<>=;:_/\\|\"'`#$%&*+^~"
_SIGN_EXTRA = 0.35
"""What a sign takes beyond its share as a character."""
_DENSE = re.compile("[\u0e00-\u0eff\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]")
_DENSE_TOKENS = 1.05
_OTHER_TOKENS = 0.55


def estimate_tokens(text: str) -> int:
    """Tokens of a text."""
    plain = text.encode("ascii", "ignore")
    signs = len(plain) - len(plain.translate(None, _SIGNS))
    tokens = len(plain) / _ASCII_CHARS + signs * _SIGN_EXTRA
    if len(plain) < len(text):
        dense = len(_DENSE.findall(text))
        tokens += dense * _DENSE_TOKENS + (len(text) - len(plain) - dense) * _OTHER_TOKENS
    return ceil(tokens)
