import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.keywords import document_vector, is_latin, keywords, number_of, query_vector


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The ferries were leaving Porto", ["ferri", "leav", "porto"]),
        ("what did I do", []),
        ("Ana's dog doesn't bark, she said", ["ana", "dog", "bark", "said"]),
        ("AI and Go, C, R", ["ai", "go", "c", "r"]),
        ("C++ beats C# and .NET", ["c++", "beat", "c#", ".net", "net"]),
        ("node.js", ["node.js", "node", "js"]),
        ("the IT people in the US", ["it", "peopl", "us"]),
        ("it is us", []),
        ("THE IT PEOPLE", ["peopl"]),
        ("APIs and GPUs", ["api", "gpu"]),
        ("U.S.A. e.g. p.m.", ["usa", "pm"]),
        ("Wi-Fi wifi WiFi", ["wifi", "wi", "fi", "wifi", "wifi", "wi", "fi"]),
        ("1,250,000 on 2024-05-07", ["1250000", "2024-05-07", "2024", "5", "7"]),
        ("v2.4.1 2.4.1", ["2.4.1", "2.4", "2.4.1", "2.4"]),
        ("error E1234", ["error", "e1234", "1234"]),
        ("[EMAIL_1] wrote", ["email_1", "email", "1", "wrote"]),
        ("max_retry_count", ["max_retry_count", "max", "retri", "count"]),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("src/app/main.py", ["src/app/main.py", "src", "app", "main.py", "main", "py"]),
        ("https://example.org/a2", ["https://example.org/a2", "example.org", "exampl", "org", "a2", "2"]),
        ("café naïve Ærø", ["cafe", "naiv", "aero"]),
        ("l'école d'été", ["ecol", "ete"]),
        ("rock'n'roll O'Brien", ["rocknrol", "rock", "roll", "obrien", "brien"]),
        ("Ｆｕｌｌ ｗｉｄｔｈ ①", ["full", "width", "1"]),
        ("我的猫", ["我的", "的猫", "猫"]),
        ("使用Python编程", ["使用", "使", "用", "python", "编程", "编", "程"]),
        ("猫", ["猫"]),
        ("ラーメン", ["ラー", "ーメ", "メン"]),
        ("서울에", ["서울", "울에"]),
        ("แมว", ["แม", "มว"]),
        ("кошки живут в Казани", ["кошк", "живут", "казан"]),
        ("ёлка ЁЛКА елка", ["елк", "елк", "елк"]),
        ("القِطط", ["قطط"]),
        ("🎉 … !?", []),
        ("", []),
    ],
)
def test_keywords(text: str, expected: list[str]) -> None:
    assert keywords(text) == expected


def same(first: str, second: str) -> bool:
    return bool(set(keywords(first)) & set(keywords(second)))


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Die Hochzeiten waren in der Kirche und nicht im Garten", "Wo ist die Hochzeit und wer war da"),
        ("Nous avons deux petites filles et une maison", "Quelle est la petite fille de la maison"),
        ("Las canciones de mi abuela son muy tristes", "cuál es la canción de tu abuela"),
        ("Le mie sorelle hanno comprato una barca con gli amici", "chi ha comprato le barche di mia sorella"),
        ("I use getUserName every day", "get user name"),
        ("I use getUserName every day", "GetUserName"),
        ("Fails in release v2.4.1", "version 2.4"),
        ("See docs/setup/guide.md", "guide.md"),
        ("e-mail", "email"),
        ("Zoë moved to São Paulo", "Sao Paulo"),
        ("Straße", "strasse"),
        ("I’m Ana", "I'm Ana"),
        ("我养了一只猫", "我的猫叫什么"),
        ("고양이가 있어요", "고양이는 어디"),
    ],
)
def test_other_forms_of_a_word_meet(told: str, asked: str) -> None:
    assert same(told, asked)


@pytest.mark.parametrize(("told", "asked"), [("I write C", "C++"), ("I write C", "C#"), ("Go", "C"), ("net", "C")])
def test_different_things_stay_apart(told: str, asked: str) -> None:
    assert not same(told, asked)


def test_the_same_word_is_found_whatever_language_either_side_was_taken_for() -> None:
    german = "Die Rechnung ist nicht da und wir haben keine Mahnung"
    assert "rechnung" in keywords(german)
    assert same(german, "Rechnung")


def test_a_document_weighs_repeats_less_and_less() -> None:
    weights = [document_vector("oak " * times + "elm " * (40 - times)) for times in (1, 2, 4, 8)]
    oak = number_of("oak")
    values = [dict(zip(vector.indices, vector.values, strict=True))[oak] for vector in weights]
    assert values == sorted(values)
    assert values[-1] < 1.9
    assert values[1] - values[0] > (values[3] - values[2]) / 4


def test_a_word_of_an_ordinary_text_weighs_about_one() -> None:
    text = " ".join(f"word{n}x" for n in range(10))
    assert len(keywords(text)) == 30
    assert document_vector(text).values[0] == pytest.approx(1)


def test_a_long_text_weighs_each_word_less() -> None:
    oak = number_of("oak")
    short, long = document_vector("oak elm"), document_vector("oak " + " ".join(f"w{n}" for n in range(200)))
    assert (
        dict(zip(short.indices, short.values, strict=True))[oak]
        > 1.2 * dict(zip(long.indices, long.values, strict=True))[oak]
    )


def test_a_question_weighs_each_keyword_once() -> None:
    vector = query_vector("ferry ferries Porto")
    assert vector.values == (1.0, 1.0)
    assert vector.indices == tuple(sorted(map(number_of, ("ferri", "porto"))))


def test_numbers_of_keywords_never_change() -> None:
    # Stored vectors hold them. The first is the check value of the CRC-32 standard.
    assert number_of("123456789") == 0xCBF43926
    assert number_of("猫") == 0x85DEB210


def test_latin_is_told_from_other_scripts() -> None:
    assert all(map(is_latin, ("cafe", "c++", "2.4.1", "übung", "")))
    assert not any(map(is_latin, ("猫", "кошк", "αλφα", "서울")))


@given(st.text(max_size=300))
def test_any_text_has_well_formed_vectors(text: str) -> None:
    vector = document_vector(text)
    assert list(vector.indices) == sorted(set(vector.indices))
    assert all(0 <= index < 2**32 for index in vector.indices)
    assert all(0 < value <= 1.9 for value in vector.values)
    assert query_vector(text).indices == vector.indices


@pytest.mark.parametrize(
    "unit",
    [
        "a-",
        "a.",
        "'",
        "a'",
        "/a",
        "A",
        "aB",
        "1,",
        ".a",
        "C#",
        "漢",
        "\u0301",
        "क",
        "_",
        "\\",
        "a_",
        "9.",
        "@",
        "ไ",
        "́a",
    ],
)
def test_hostile_repetition_takes_no_long_time(unit: str) -> None:
    started_at = time.process_time()
    assert len(keywords(unit * 40_000)) <= 64_000
    assert time.process_time() - started_at < 3
