"""Words that give the kind of a statement away: expressions by kind, in English, German, Spanish, French and more.

Each expression stands for itself; they are joined by alternation and tried without regard to case.
"""

_TASKS = (
    "send|bring|print|call|email|mail|write|book|order|buy|prepare|fix|finish|submit|return|pick|drop|clean|pay|renew"
    "|ask|check|organi[sz]e|arrange|sign|collect|cancel|update|set up|take care|get|chase|ring|fetch|replace|deliver"
)
_BE = r"(?:'s|’s|'re|’re| is| are| was| were)"

CORRECTIONS = (
    r"^(?:no|nope|nein|non)[,.!;:]\s+\S",
    r"^no wait\b",
    r"^(?:actually|correction|sorry,|sorry (?:i|it|that)|scratch that|turns out|update:|eigentlich|en fait|en"
    r" realidad)\b",
    r"\b(?:i meant|i was wrong|i misspoke|i misread|i mixed .{1,12} up|my mistake|my bad|no longer|not anymore)\b",
    rf"\bthat{_BE} (?:wrong|not (?:right|true|correct))\b",
    r"\b(?:isn't|aren't|(?:is|are|'s|'re) not) .{1,60} any ?more\b",
    rf"\b(?:isn't|wasn't|aren't|weren't) .{{1,40}}, (?:it|he|she|they){_BE}",
    r"\b(?:they|it|he|she|was|were|been) (?:moved|pushed|postponed|rescheduled|shifted)\b",
    # "it was 19 km, not 18", "Der Umzug beginnt um 17:30, nicht um 17 Uhr"; but "we take red, not green" is a decision
    r"^(?!\W*(?:we|i|wir|ich|let)\b).{3,80}, (?:not|nicht) (?:\w+ ){0,3}[\w:£€$.,]+\W*$",
    r"\bnot .{1,40}, (?:but|it's|it is)\b",
    r"\b(?:ich meinte|das (?:ist|war) falsch|stimmt nicht|korrektur|vertan|verwechselt|nicht .{1,40}, sondern)\b",
    r"\bdoch (?:erst|schon|nur|in|am|im|um)\b",
    r"\b(?:ist|sind|waren?) (?:übrigens|doch|jetzt) (?:nur|erst|schon|\d)",
    r"\b(?:quise decir|me equivoqu[ée]|ya no)\b",
    r"\b(?:es|son|era|eran|vence|empieza|estudia|vive) .{1,50}, no (?:\w+ ){0,2}\w+\W*$",
    r"\b(?:je voulais dire|je me suis trompée?|c'est faux|ne .{1,30} plus\b(?! que))",
    r"不对|不是|いや|不再|说错|ではなくて",
)
DECISIONS = (
    r"\b(?:we|i|they|he|she|team)(?:'ve|'d|'re|'m|'ll| have| had| are| am| is| finally| all| will| now)* (?:decided"
    r"|chose|chosen|agreed|settled (?:on|for)|opted|committed to|dropped|dropping|switched (?:from|to)|picked|go with"
    r"|switching (?:from|to)|going (?:with|for)|went with|rejected|approved|ruled out|turned down|called off|scrapped"
    r"|sticking (?:with|to)|keeping|giving up|quitting|not going to (?:use|do|build|take|buy))\b",
    r"\b(?:decision|going with|made up my mind|motion (?:carried|passed)|is (?:off the table|ruled out))\b",
    r"\blet's (?!see\b|hope|talk|say|be\b|catch|chat|not\b|meet|get together|hang|go\b(?! with))\w+",
    r"\b(?:it'll be the .{1,40} then|(?:we|i)(?:'ll| will)? take the)\b",
    r"\b(?:we|i)(?:'ll| will) .{1,50}, not .{1,40}$",
    r"^(?-i:[A-Z])\w+ is out\b",
    r"\b(?:entschieden|entschluss|beschlossen|wir nehmen|nehmen wir|einigten uns|einigen uns|es bleibt bei)\b",
    r"\b(?:wir bleiben bei|machen wir so|so machen wir|habe ich mir überlegt|lehne .{0,30}ab|sagen? .{0,30} ab)\b",
    r"\b(?:werde|werden|wollen) .{0,40}doch (?:nicht|kein\w*)\b",
    r"\b(?:(?:he|hemos|han|ha) (?:decidido|elegido|quedado)|decid(?:í|imos|ieron)|elegimos|nos quedamos con)\b",
    r"\bal final (?:vamos|usamos|cogemos|nos)\b",
    r"\b(?:décidé|choisi|on prend|on garde)\b",
    r"决定|決め|決定",
)
ACTION_ITEMS = (
    r"\b(?:remind me|reminder|don't forget|remember to|to-?do|gotta|deadline|(?:is|are) due|due (?:on|by|date)"
    r"|action item|follow up (?:on|with))\b",
    r"\b(?:i|we|you) (?:still |really |also )?(?:need|needs|have|has|ought|got) to\b"
    r"(?! (?:say|admit|be|know|meet|see|wait))",
    r"\b(?:i|we) (?:still )?must\b|^\W*(?:still )?(?:need|have|must|got) (?:to )(?!be\b)\w+",
    r"\bneeds (?:to be )?\w+(?:ing|ed)\b",
    rf"\b(?:i|we)(?:'ll|’ll| will|'m going to| am going to) (?:\w+ly )?(?:{_TASKS})\b(?!.*, not )",
    rf"\bwe should (?:\w+ly )?(?:{_TASKS})\b",
    # An order with a time: "Chase the delivery tomorrow"
    rf"^\W*(?:please )?(?:{_TASKS}|remember)\b.{{3,60}}\b(?:by|before|until|tomorrow|today|tonight|on"
    rf" \w+day|next|this)\b",
    # "Who brings the fire bowl? — I."
    r"^(?:who|wer|quién|qui)\b.{3,160}— (?:i|me|i do|i will|ich|yo|moi)\W*$",
    r"\b(?:erinnere? mich|(?:nicht|bloß nicht) vergessen|vergiss(?:t)? nicht|(?:ich|wir)"
    r" (?:muss|müssen|soll|sollen))\b",
    r"\b(?:^muss ich|muss noch|bis .{1,20} fällig|kümmere mich um)\b",
    r"\bmüssen .{1,30}\b(?:bis|in den|noch|werden)\b|\bmuss .{1,40}werden\b",
    r"\bich (?:bringe|besorge|hole|schicke|bestelle|backe|rufe|frage|kaufe|buche|schreibe)\b",
    r"\b(?:recuérdame|tengo que|tenemos que|hay que|no (?:te )?olvides|debo|me encargo de)\b",
    r"\b(?:rappelle-moi|il faut que|(?:je|on) doi[st]|n'oublie pas)\b",
    r"提醒我|别忘|必须|忘れないで|しなければ",
)
PREFERENCES = (
    r"\b(?:prefer|prefers|preferred|favou?rite|fan of|allergic|vegan|vegetarian|not a big fan|only,? please)\b",
    r"\bi (?:really |absolutely |also |just |much |don't |do not |can't )*(?:like|love|enjoy|hate|dislike|adore|stand"
    r"|drink|eat)\b(?! to (?:know|see|hear|ask))",
    r"\b(?:i'd |i would |i )rather\b|\brather (?:have|not|than)\b",
    r"\b(?:like|likes|work|works|sleep|sleeps) .{1,40} better\b",
    r"\b(?:always|never) (?:use|order|take|drink|eat|want|wear|buy)\b|\bi (?:never|always) want\b",
    r"\bi (?:won't|will not) (?:touch|eat|use|wear|drink|take)\b|\bi don't want\b",
    r"\bi'd (?:love|like)\b(?! to (?:know|see|hear|ask))",
    r"\b(?:my (?:one |only )?rule|no \w+ for me|too \w+ for me)\b",
    r"\b(?:terrified|afraid|scared|sick|tired) of\b|\bcan't (?:stand|bear)\b|\binto (?:jazz|music)\b",
    r"\bich (?:\w+ )?(?:mag|liebe|hasse|bevorzuge|trinke|esse|möchte (?:lieber|höchstens|nur|kein\w*|am liebsten))\b",
    r"\b(?:am liebsten|lieblings\w+|lieber|allergisch|vegetarisch|kein\w* \w+ mehr|vertr[aä]g[te] kein\w*)\b",
    r"\b(?:bloß kein\w*|bitte (?:kein\w*|ohne|nicht)|ich will kein\w*)\b",
    r"\bmir zu (?:sehr|laut|süß|viel|hell|scharf|teuer|kalt|warm)\b",
    r"\b(?:me (?:gusta|encanta|molesta)n?|prefier[oe]|odio|alérgic[oa]|favorit[oa]|no (?:como|bebo|uso|soporto))\b",
    r"\b(?:j'(?:aime|adore|déteste)|je (?:préfère|n'aime)|préférée?|allergique)\b",
    r"喜欢|讨厌|更喜欢|好き|嫌い",
)
_RELATIONS = (
    "brother|sister|mother|father|mom|mum|dad|wife|husband|partner|son|daughter|boss|dog|cat|horse|rabbit|colleague"
    "|friend|girlfriend|boyfriend|neighbou?r|cousin|uncle|aunt|nephew|niece|grandma|grandpa|grandmother|grandfather"
    "|grandson|granddaughter|stepson|stepdaughter|roommate|flatmate|coach|teacher|doctor|dentist|student|manager"
    "|landlord|landlady|company|team|band"
    "|bruder|schwester|mutter|vater|frau|mann|sohn|tochter|chefin?|hund|hündin|katze|kollegin?|freundin?|nachbarin?"
    "|cousine?|onkel|tante|oma|opa|enkelin?|trainerin?|lehrerin?"
    "|hermano|hermana|madre|padre|esposa|marido|hijo|hija|jefe|jefa|perro|perra|gato|gata|amigo|amiga|vecino|vecina"
    "|primo|prima|abuelo|abuela|nieto|nieta|socio|socia|frère|sœur|mère|père|femme|mari|fils|fille|chien|chat|ami|amie"
)
_OWN = r"(?:my|our|his|her|their|mein\w{0,2}|unser\w{0,2}|mi|nuestr[oa]|mon|ma|notre)"
_TITLE = r"(?-i:Herr|Frau|Doktor|Dr\.?|Mr\.?|Mrs\.?|Ms\.?|Don|Doña)"
ENTITIES = (
    r"\b(?:named|called|whose name|name is|names are|\w+'s name|is my|are my|is our|are our)\b",
    r"\bis the (?:ceo|cto|owner|head|lead|founder|author|name) of\b",
    r"\b(?:heißt|heißen|heissen|genannt|s'appelle|se llaman?)\b",
    rf"\b{_OWN} (?:\w+ ){{0,2}}(?:{_RELATIONS}),? (?-i:[A-ZÄÖÜÁÉÍÓÚ]\w+)",
    rf"\b(?:my|our|his|her|their|mi|nuestr[oa]|mon|ma|notre) (?:\w+ ){{1,3}}(?:is|es|est) (?:el |la |now"
    rf" )?(?:{_TITLE} )?"
    r"(?-i:[A-ZÁÉÍÓÚ]\w+)(?=[ ,.!;]|$)(?! (?:than|and a))",
    # In German every noun is written like a name: only titles tell.
    rf"\b(?:{_OWN}|the|der|die|das|el|la) (?:\w+ ){{1,4}}(?:is|ist|es|est) (?:der |die |now |jetzt )?{_TITLE}"
    rf" (?-i:[A-ZÄÖÜ])\w+",
    r"叫做?|名前は",
)
INSTEAD = (r"\binstead of\b", r"\bstatt\b", r"\ben vez de\b")
"""A preference where nothing else is said of when."""
SOMEBODY_DID = (
    r"\b(?:i|we|he|she|they|ich|wir|er|sie|je|nous|on|yo|nosotros) \w+",
    r"\b(?:i|we|he|she|they)(?:'ve|'d|'ll) \w+",
    r"\b(?:fui|fue|fuimos|hice|compré|nació|murió|\w{3,}(?:amos|imos))\b",
    r"了|た|ました",
)
"""With only a year, what somebody did is an event, while "it came out in 2020" is a fact."""
