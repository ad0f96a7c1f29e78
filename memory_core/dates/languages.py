"""Pure: the words of dates, one table a language. A new language is a new table; the rules stay as they are."""

from dataclasses import dataclass, field
from enum import StrEnum


class Unit(StrEnum):
    """Stretches of the calendar; weeks run from Monday to Sunday."""

    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """What the rules need of a language. Keys are lower case; values that are expressions must not hold groups.

    Attributes:
        code: ISO 639-1.
        phrases: Whole expressions: unit and how many of them from now.
        parts: Parts of a day: first hour and the hour behind the last.
        day_parts: Whole expressions for a part of a day: days from now, first hour, hour behind the last.
        units: Words for units, singular and plural.
        numbers: Words for numbers.
        few: Words for an unknown small number.
        months, weekdays: Names; Monday is 0.
        seasons: Names to the first month on the northern half.
        last, this, following: Expressions before (or after) a weekday, month, season or unit.
        ago, ahead: Expressions with {n} and {unit}.
        on: Expression that may stand before a weekday or date and belongs to it.
        in_month: Expression that must stand before a bare month or year.
        before, after: Expressions between a stretch and the date it hangs on; empty where not supported.
        past, future: Expressions that tell the tense of a sentence.
        month_names: For writing a date, January first.
        day_format, month_format: For writing, with {day}, {month}, {year}.
        about: Word before an approximate stretch.
        case_matters: Names that are other words when written small.
        not_after: Words after which a phrase is another word: "guten Morgen", "la mañana".
        numbered: Marks behind the numbers of a year, a month and a day, as in 2023年5月7日; more signs for a mark are
            alternatives.
        spaced: Words are divided by spaces.
    """

    code: str
    phrases: dict[str, tuple[Unit, int]]
    day_parts: dict[str, tuple[int, int, int]] = field(default_factory=dict[str, tuple[int, int, int]])
    parts: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    units: dict[str, Unit] = field(default_factory=dict[str, Unit])
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    few: str = ""
    months: dict[str, int] = field(default_factory=dict[str, int])
    weekdays: dict[str, int] = field(default_factory=dict[str, int])
    seasons: dict[str, int] = field(default_factory=dict[str, int])
    last: str = ""
    this: str = ""
    following: str = ""
    ago: tuple[str, ...] = ()
    ahead: tuple[str, ...] = ()
    on: str = ""
    in_month: str = ""
    before: str = ""
    after: str = ""
    past: str = ""
    future: str = ""
    month_names: tuple[str, ...] = ()
    day_format: str = "{day} {month} {year}"
    month_format: str = "{month} {year}"
    about: str = "about"
    case_matters: frozenset[str] = frozenset()
    not_after: tuple[str, ...] = ()
    numbered: tuple[str, str, str] | None = None
    spaced: bool = True


def list_of(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


def names_of(text: str, *, first: int) -> dict[str, int]:
    """Names in order, spellings of one divided by a stroke."""
    return {name: number for number, names in enumerate(text.split(), start=first) for name in names.split("|")}


ENGLISH = Language(
    code="en",
    phrases={
        "today": (Unit.DAY, 0),
        "yesterday": (Unit.DAY, -1),
        "tomorrow": (Unit.DAY, 1),
        "the day before yesterday": (Unit.DAY, -2),
        "the day after tomorrow": (Unit.DAY, 2),
        "the week before last": (Unit.WEEK, -2),
        "the week after next": (Unit.WEEK, 2),
        "the weekend before last": (Unit.WEEKEND, -2),
        "the month before last": (Unit.MONTH, -2),
        "the year before last": (Unit.YEAR, -2),
    },
    day_parts={
        "this morning": (0, 5, 12),
        "this afternoon": (0, 12, 18),
        "this evening": (0, 17, 24),
        "tonight": (0, 18, 30),
        "last night": (-1, 18, 30),
        "yesterday night": (-1, 18, 30),
        "last evening": (-1, 17, 24),
    },
    parts={"morning": (5, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)},
    units={
        "day": Unit.DAY,
        "days": Unit.DAY,
        "week": Unit.WEEK,
        "weeks": Unit.WEEK,
        "weekend": Unit.WEEKEND,
        "weekends": Unit.WEEKEND,
        "month": Unit.MONTH,
        "months": Unit.MONTH,
        "year": Unit.YEAR,
        "years": Unit.YEAR,
    },
    numbers=names_of("a|an|one two|couple three four five six seven eight nine ten eleven twelve", first=1),
    few=r"(?:a |the last |the past )?(?:few|several|many|some)",
    months=names_of(
        "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep october|oct"
        " november|nov december|dec",
        first=1,
    ),
    weekdays=names_of(
        "monday|mon tuesday|tues|tue wednesday|wed thursday|thurs|thur|thu friday|fri saturday sunday", first=0
    ),
    seasons={"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12},
    last=r"(?:this )?(?:last|past|previous)",
    this=r"(?:(?:earlier|later) )?(?:this|the current)(?: coming)?|the coming",
    following=r"(?:this )?(?:next|the following)",
    ago=(r"{n} {unit} (?:ago|back|earlier)",),
    ahead=(r"in {n} {unit}(?:['’] time|'s time)?", r"{n} {unit} from (?:now|today)"),
    on="on |by |until |till |since |from |for |every ",
    in_month="in|since|until|till|by|during|early|late|mid|around|from|back in|throughout|end of|beginning of|start of",
    before="before|prior to",
    after="after|following",
    past=(
        r"\w{3,}ed|was|were|had|did|didn't|went|got|saw|came|took|made|met|found|bought|ate|told|said|won|lost|gave"
        r"|left|felt|began|ran|drove|wrote|read|spent|sent|built|caught|taught|thought|brought|heard|held|kept|flew"
        r"|rode|sang|swam|threw|fell|broke|woke|wore|became|knew|grew|drew|chose|spoke|slept|paid|sold|stood|led"
        r"|fought|been"
    ),
    future=(
        r"will|won't|\w+'ll|\w+’ll|going to|gonna|plan(?:s|ning)?|want(?:s)? to|hop(?:e|es|ing) to|tomorrow|soon|let's"
        r"|remind|deadline|due|should|need(?:s)? to|have to|has to|got to|gotta|upcoming|can't wait|looking forward"
        r"|starts|meeting|postponed|rescheduled|delayed|pushed (?:back )?to|(?:was|were|been|got) (?:moved|shifted) to"
        r"|(?:moved|pushed|shifted|brought) (?:it|us|them|that|this|the \w+) (?:\w+ )?(?:to|until|forward)"
    ),
    month_names=list_of("January February March April May June July August September October November December"),
    case_matters=frozenset(
        {"may", "march", "mar", "mon", "tue", "wed", "fri", "thu", "sun", "sat", "jan", "dec", "sep"}
    ),
)
GERMAN = Language(
    code="de",
    phrases={
        "heute": (Unit.DAY, 0),
        "gestern": (Unit.DAY, -1),
        "vorgestern": (Unit.DAY, -2),
        "morgen": (Unit.DAY, 1),
        "übermorgen": (Unit.DAY, 2),
        "vorletzte woche": (Unit.WEEK, -2),
        "übernächste woche": (Unit.WEEK, 2),
        "voriges jahr": (Unit.YEAR, -1),
    },
    day_parts={
        "heute morgen": (0, 5, 12),
        "heute früh": (0, 5, 12),
        "heute nachmittag": (0, 12, 18),
        "heute abend": (0, 17, 24),
        "heute nacht": (0, 18, 30),
        "gestern abend": (-1, 17, 24),
        "letzte nacht": (-1, 18, 30),
        "morgen früh": (1, 5, 12),
        "morgen abend": (1, 17, 24),
    },
    parts={"morgen": (5, 12), "früh": (5, 12), "nachmittag": (12, 18), "abend": (17, 24)},
    units={
        "tag": Unit.DAY,
        "tage": Unit.DAY,
        "tagen": Unit.DAY,
        "woche": Unit.WEEK,
        "wochen": Unit.WEEK,
        "wochenende": Unit.WEEKEND,
        "wochenenden": Unit.WEEKEND,
        "monat": Unit.MONTH,
        "monate": Unit.MONTH,
        "monaten": Unit.MONTH,
        "jahr": Unit.YEAR,
        "jahre": Unit.YEAR,
        "jahren": Unit.YEAR,
    },
    numbers=names_of("ein|eine|einem|einer|einen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf", first=1),
    few=r"(?:einigen|ein paar|wenigen|mehreren)",
    months=names_of(
        "januar|jänner februar märz april mai juni juli august september oktober november dezember", first=1
    ),
    weekdays=names_of("montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag", first=0),
    seasons={"frühling": 3, "sommer": 6, "herbst": 9, "winter": 12},
    last=r"(?:am |im |in der )?(?:letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?)",
    this=r"(?:am |in )?(?:diese[nrsm]?|kommende[nrsm]?)",
    following=r"(?:am |im |in der )?nächste[nrsm]?",
    ago=(r"vor {n} {unit}",),
    ahead=(r"in {n} {unit}",),
    on="am |bis |seit |ab |jeden ",
    in_month="im|seit|bis|anfang|mitte|ende|ab",
    before="vor dem|vor",
    after="nach dem|nach",
    past=r"war(?:en|st)?|hatte[n]?|wurde[n]?|habe?n? .{0,80}ge\w+(?:t|en)|bin .{0,80}ge\w+en|ging(?:en)?|kam(?:en)?"
    r"|sah(?:en)?",
    future=r"werde[n]?|wird|will|wollen|möchte[n]?|muss|müssen|plane[n]?",
    month_names=list_of("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
    day_format="{day}. {month} {year}",
    about="etwa",
    case_matters=frozenset({"mai"}),
    not_after=("guten", "am", "jeden", "diesen", "den", "einen", "heute", "gestern"),
)
FRENCH = Language(
    code="fr",
    phrases={
        "aujourd'hui": (Unit.DAY, 0),
        "aujourd’hui": (Unit.DAY, 0),
        "hier": (Unit.DAY, -1),
        "avant-hier": (Unit.DAY, -2),
        "demain": (Unit.DAY, 1),
        "après-demain": (Unit.DAY, 2),
    },
    day_parts={
        "ce matin": (0, 5, 12),
        "cet après-midi": (0, 12, 18),
        "ce soir": (0, 17, 24),
        "hier soir": (-1, 17, 24),
        "cette nuit": (0, 18, 30),
        "demain matin": (1, 5, 12),
        "demain soir": (1, 17, 24),
    },
    parts={"matin": (5, 12), "après-midi": (12, 18), "soir": (17, 24)},
    units={
        "jour": Unit.DAY,
        "jours": Unit.DAY,
        "semaine": Unit.WEEK,
        "semaines": Unit.WEEK,
        "week-end": Unit.WEEKEND,
        "weekend": Unit.WEEKEND,
        "week-ends": Unit.WEEKEND,
        "mois": Unit.MONTH,
        "an": Unit.YEAR,
        "ans": Unit.YEAR,
        "année": Unit.YEAR,
        "années": Unit.YEAR,
    },
    numbers=names_of("un|une deux trois quatre cinq six sept huit neuf dix onze douze", first=1),
    few=r"quelques",
    months=names_of("janvier février mars avril mai juin juillet août septembre octobre novembre décembre", first=1),
    weekdays=names_of("lundi mardi mercredi jeudi vendredi samedi dimanche", first=0),
    seasons={"printemps": 3, "été": 6, "automne": 9, "hiver": 12},
    last=r"derni(?:er|ère)|passée?",
    this=r"ce|cet|cette",
    following=r"prochaine?|suivante?",
    ago=(r"il y a {n} {unit}",),
    ahead=(r"dans {n} {unit}",),
    on="le |depuis |jusqu'au ",
    in_month="en|depuis|fin|début|mi",
    before="avant le",
    after="après le",
    past=r"étai(?:t|s|ent)|avai(?:t|s|ent)|(?:ai|as|a|avons|avez|ont|suis|est|sommes|sont) \w+(?:é|ée|és|ées|i|is|it"
    r"|u|us|ert)",
    future=r"vais|va|allons|vont|sera|serai|\w+rai|\w+rons|doi[st]|devons",
    month_names=list_of("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    about="vers",
)
SPANISH = Language(
    code="es",
    phrases={
        "hoy": (Unit.DAY, 0),
        "ayer": (Unit.DAY, -1),
        "anteayer": (Unit.DAY, -2),
        "antes de ayer": (Unit.DAY, -2),
        "mañana": (Unit.DAY, 1),
        "pasado mañana": (Unit.DAY, 2),
    },
    day_parts={
        "esta mañana": (0, 5, 12),
        "esta tarde": (0, 12, 20),
        "esta noche": (0, 18, 30),
        "anoche": (-1, 18, 30),
        "mañana por la mañana": (1, 5, 12),
        "ayer por la tarde": (-1, 12, 20),
    },
    parts={"por la mañana": (5, 12), "por la tarde": (12, 20), "por la noche": (18, 30)},
    units={
        "día": Unit.DAY,
        "días": Unit.DAY,
        "semana": Unit.WEEK,
        "semanas": Unit.WEEK,
        "fin de semana": Unit.WEEKEND,
        "fines de semana": Unit.WEEKEND,
        "mes": Unit.MONTH,
        "meses": Unit.MONTH,
        "año": Unit.YEAR,
        "años": Unit.YEAR,
    },
    numbers=names_of("un|una|uno dos tres cuatro cinco seis siete ocho nueve diez once doce", first=1),
    few=r"un(?:os|as) (?:pocos|pocas|cuantos|cuantas)|un(?:os|as)|varios|varias|algunos|algunas",
    months=names_of(
        "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre", first=1
    ),
    weekdays=names_of("lunes martes miércoles jueves viernes sábado domingo", first=0),
    seasons={"primavera": 3, "verano": 6, "otoño": 9, "invierno": 12},
    last=r"(?:el |la )?(?:pasad[oa]|últim[oa])",
    this=r"est[ea]",
    following=r"(?:el |la )?(?:próxim[oa]|que viene)",
    ago=(r"hace {n} {unit}",),
    ahead=(r"(?:en|dentro de) {n} {unit}",),
    on="el |desde el |hasta el ",
    in_month="en|desde|hasta|a finales de|a principios de|a mediados de",
    before="antes del",
    after="después del",
    past=r"fui|fue|fueron|era[n]?|estab\w+|estuv\w+|hice|hizo|tuv\w+|compr[éó]|lleg[uóé]\w*|\w{3,}(?:aron|ieron"
    r"|amos)|habí\w+|vi|vio",
    future=r"voy a|va a|vamos a|van a|será[n]?|\w+ré|\w+remos|quiero|tengo que|debo",
    month_names=list_of("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
    day_format="{day} de {month} de {year}",
    month_format="{month} de {year}",
    not_after=("la", "esta", "cada", "una"),
    about="hacia",
)
LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH)
