"""Sentences, settings and commands with secrets, and harmless ones that look like them; `measure_secrets` reads them.

A line of the secrets (`data/secrets.txt`) is `kind | text`, `{}` standing for the secret; the kind says how the secret
is made, behind a colon stands what it is. Secrets are put together when they are needed: no scanner of repositories
finds one here.
"""

import base64
import random
import string
from collections.abc import Callable, Mapping
from pathlib import Path

_DATA = Path(__file__).parent / "data"
_ALNUM = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_UPPER_BASE32 = string.ascii_uppercase + "234567"


def _text(source: random.Random, length: int, *, alphabet: str = _ALNUM) -> str:
    """Characters with a letter and a digit among them."""
    body = [source.choice(alphabet) for _ in range(length)]
    body[source.randrange(length // 2)] = source.choice([one for one in alphabet if one.isalpha()])
    body[length // 2 + source.randrange(length - length // 2)] = source.choice([c for c in alphabet if c.isdigit()])
    return "".join(body)


def _pem(source: random.Random, name: str) -> str:
    rows = "\n".join(_text(source, 64) for _ in range(5))
    return "".join(("-----BE", f"GIN {name}-----\n", rows, "\n-----E", f"ND {name}-----"))


def _password(source: random.Random) -> str:
    words = ("Sunset", "maple", "Garten", "tiger", "Lluvia", "pepper", "Winter", "kayak", "Hafen", "comet")
    marks = ("!", "#", "-", "_", "+", "%", ".", "")
    return f"{source.choice(words)}{source.choice(marks)}{source.randrange(10, 99999)}"


_SEED_WORDS = (
    "ladder orbit velvet candle marble tunnel garlic planet ribbon saddle timber walnut zebra copper meadow"
).split()
Maker = Callable[[random.Random], str]
_MAKERS: Mapping[str, Maker] = {
    "openai": lambda s: "s" + "k-pr" + "oj-" + _text(s, 90),
    "anthropic": lambda s: "s" + "k-a" + "nt-api03-" + _text(s, 93),
    "openrouter": lambda s: "s" + "k-o" + "r-v1-" + _text(s, 64, alphabet=_HEX),
    "groq": lambda s: "gs" + "k_" + _text(s, 52),
    "huggingface": lambda s: "h" + "f_" + _text(s, 34),
    "awsid": lambda s: "AK" + "IA" + _text(s, 16, alphabet=_UPPER_BASE32),
    "awssecret": lambda s: _text(s, 40, alphabet=_ALNUM + "/+"),
    "github": lambda s: "gh" + "p_" + _text(s, 36),
    "githubpat": lambda s: "github" + "_pat_" + _text(s, 22) + "_" + _text(s, 59),
    "gitlab": lambda s: "gl" + "pat-" + _text(s, 20),
    "slackbot": lambda s: "xo" + "xb-" + "219384756012-2193847560123-" + _text(s, 24),
    "slackhook": lambda s: "T0" + _text(s, 9) + "/B0" + _text(s, 9) + "/" + _text(s, 24),
    "discordhook": lambda s: _text(s, 68),
    "discordbot": lambda s: "M" + _text(s, 23) + ".G" + _text(s, 5) + "." + _text(s, 38),
    "telegram": lambda s: f"{s.randrange(10**9, 10**10)}:A" + "A" + _text(s, 33),
    "stripe": lambda s: "s" + "k_li" + "ve_" + _text(s, 24),
    "stripehook": lambda s: "wh" + "sec_" + _text(s, 32),
    "googlekey": lambda s: "AI" + "za" + _text(s, 35),
    "googleoauth": lambda s: "GOC" + "SPX-" + _text(s, 28),
    "npm": lambda s: "np" + "m_" + _text(s, 36),
    "pypi": lambda s: "py" + "pi-AgEI" + _text(s, 120),
    "sendgrid": lambda s: "S" + "G." + _text(s, 22) + "." + _text(s, 43),
    "jwt": lambda s: "ey" + "J" + _text(s, 33) + ".ey" + "J" + _text(s, 70) + "." + _text(s, 43),
    "opaque": lambda s: _text(s, s.choice((20, 24, 32, 40))),
    "basic": lambda s: base64.b64encode(f"ana:{_password(s)}{s.randrange(1000)}".encode()).decode(),
    "pemrsa": lambda s: _pem(s, "RSA PRIVATE" + " KEY"),
    "pemopenssh": lambda s: _pem(s, "OPENSSH PRIVATE" + " KEY"),
    "pemec": lambda s: _pem(s, "EC PRIVATE" + " KEY"),
    "pempgp": lambda s: _pem(s, "PGP PRIVATE" + " KEY BLOCK"),
    "word": _password,
    "short": lambda s: s.choice(("abc1", "x9Q2", "7-tor", "kuh5")) + str(s.randrange(10)),
    "spaced": lambda s: f"{s.choice(_SEED_WORDS)} {s.choice(_SEED_WORDS)} {s.randrange(10, 99)}",
    "pin": lambda s: f"{s.randrange(1000, 9999)}",
    "hex32": lambda s: _text(s, 32, alphabet=_HEX),
    "hex64": lambda s: _text(s, 64, alphabet=_HEX),
    "base64": lambda s: _text(s, 86) + "==",
    "totp": lambda s: _text(s, 16, alphabet=_UPPER_BASE32),
    "recovery": lambda s: f"{_text(s, 5, alphabet=_HEX)}-{_text(s, 5, alphabet=_HEX)}",
    "licence": lambda s: "-".join(_text(s, 5).upper() for _ in range(4)),
    "seed": lambda s: " ".join(s.sample(_SEED_WORDS, 12)),
    "cookie": lambda s: _text(s, 36),
    "sig": lambda s: _text(s, 43) + "%3D",
    "vault": lambda s: "hv" + "s." + _text(s, 90),
    "digitalocean": lambda s: "do" + "p_v1_" + _text(s, 64, alphabet=_HEX),
    "shopify": lambda s: "shp" + "at_" + _text(s, 32, alphabet=_HEX),
    "databricks": lambda s: "da" + "pi" + _text(s, 32, alphabet=_HEX),
    "linear": lambda s: "lin" + "_api_" + _text(s, 40),
    "age": lambda s: "AGE-SEC" + "RET-KEY-1" + _text(s, 58).upper(),
    "supabase": lambda s: "sb" + "p_" + _text(s, 40, alphabet=_HEX),
    "atlassian": lambda s: "ATA" + "TT3" + _text(s, 180),
    "tailscale": lambda s: "ts" + "key-auth-" + _text(s, 16) + "-" + _text(s, 32),
    "docker": lambda s: "dck" + "r_pat_" + _text(s, 27),
    "postman": lambda s: "PM" + "AK-" + _text(s, 24, alphabet=_HEX) + "-" + _text(s, 34, alphabet=_HEX),
    "figma": lambda s: "fi" + "gd_" + _text(s, 40),
    "grafana": lambda s: "gl" + "sa_" + _text(s, 32) + "_" + _text(s, 8, alphabet=_HEX),
    "notion": lambda s: "nt" + "n_" + _text(s, 46),
}


def secrets(name: str = "secrets.txt") -> list[tuple[str, str, str]]:
    """Kind, text and the secret in it, of each line of a file beside this module; the same at every call."""
    found: list[tuple[str, str, str]] = []
    for number, line in enumerate(_lines(name)):
        kind, _, template = line.partition(" | ")
        value = _MAKERS[kind.partition(":")[0]](random.Random(f"{name}{number}"))
        found.append((kind, template.replace("{}", value), value))
    return found


def look_alikes(name: str = "look_alikes.txt") -> list[str]:
    """Texts that must stay as they are; they also hold no personal data of the four kinds."""
    return _lines(name)


def _lines(name: str) -> list[str]:
    return [line.replace(r"\n", "\n") for line in (_DATA / name).read_text(encoding="utf-8").splitlines()]
