"""Function words per language: what keyword search leaves out, and how a text's language is told cheaply.

The lists are short on purpose: a word that isn't listed still weighs little, because every text holds it (IDF).
Words are case-folded and without accents. Left out where a name or a thing has the same spelling: "may", "will", "go".
"""

from collections.abc import Mapping

_LISTS: Mapping[str, str] = {
    "english": """a an the this that these those and or but nor so if then than as at by for from in into of off on onto
        out over to up with about between through during before after above below under again i me my mine we us our
        ours you your yours he him his she her hers it its they them their theirs myself yourself itself themselves am
        is are was were be been being do does did doing done have has had having can could should would shall might
        must not no yes what when where which who whom whose why how there here all any both each some such only own
        same too very just also ok im ive youre dont didnt isnt eg ie etc""",
    "german": """der die das den dem des ein eine einen einem einer eines und oder aber wenn weil dass als wie auch nur
        noch schon ich du er sie es wir ihr mich dich mir dir ihn ihm uns euch mein meine dein deine sein seine ihre
        unser nicht kein keine ist sind war waren bin bist hat habe haben wird werden wurde mit von zu zum zur auf aus
        bei nach fur uber unter im am um was wer wo wann warum welche""",
    "french": """le la les un une des du de et ou mais donc car ni que qui quoi dont ou je tu il elle on nous vous ils
        elles me te se moi toi lui leur mon ma mes ton ta tes son sa ses notre nos votre vos ce cet cette ces est sont
        etait suis es sommes etes ai as avons avez ont avait dans sur sous avec pour par sans chez aux au ne pas plus
        quand comment pourquoi""",
    "spanish": """el la los las un una unos unas y o u pero si que como cuando donde quien cual cuales porque por para
        con sin sobre entre de del al en yo tu el ella nosotros ellos ellas usted me te se le les lo nos mi mis su sus
        nuestro es son era fue soy eres esta estan estaba he ha han habia no muy mas tambien este estos esa ese""",
    "italian": """il lo la i gli le un uno una e o ma se che chi cui come quando dove perche di del della dei delle da
        dal in nel nella con su per tra fra io tu lui lei noi voi loro mi ti si ci vi mio mia suo sua nostro e sono era
        ho ha hanno abbiamo non piu anche questo questa quello quella al alla""",
    "portuguese": """o a os as um uma uns umas e ou mas se que como quando onde quem qual porque por para com sem sobre
        entre de do da dos das no na nos nas em eu tu ele ela nos eles elas voce me te lhe meu minha seu sua nosso e sao
        era foi sou esta estao tem tinha nao muito mais tambem este esta isso ao pelo pela""",
    "dutch": """de het een en of maar als dat die dit deze wat wie waar wanneer waarom hoe ik jij je hij zij ze wij we
        jullie u mij me jou hem haar ons hun mijn jouw zijn onze niet geen is ben bent was waren heb heeft hebben had
        wordt worden met van voor naar op in uit bij om te tot ook nog al er""",
    "swedish": """en ett den det de och eller men om att som nar var vem vad hur varfor jag du han hon vi ni dem mig dig
        honom henne oss min mitt mina din sin ar var varit har hade inte ingen med av till fran pa i for under over
        ocksa nu sa""",
    "polish": """i w z na do od dla po przy przez o u ze ale lub albo czy jak kiedy gdzie kto co dlaczego ja ty on ona
        my wy oni mnie mi cie ci go jej ich moj moja twoj jego nie jest sa byl byla bylo jestem mam ma tak tez juz ten
        ta to te sie""",
    "turkish": """bir ve veya ama fakat ile icin gibi kadar daha cok en bu su o ben sen biz siz onlar benim senin onun
        bizim ne nerede kim nasil neden mi mu degil var yok de da ki""",
    "russian": """и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот
        от меня еще нет о из ему когда даже ну ли если или быть был него до вас опять уж вам ведь там потом себя ей они
        тут где есть для мы тебя их чем была сам без будто чего раз тоже себе под кто этот того потому этого какой ему
        этом один мой моя мои свой своя эта это эти при про нас""",
}

STOP_WORDS: Mapping[str, frozenset[str]] = {language: frozenset(words.split()) for language, words in _LISTS.items()}
"""Snowball's name of a language to its function words."""

STOP_CHARACTERS = frozenset("的了是在我你他她它们这那吗呢吧啊也就都和与のはがをにへでともや")
"""Chinese and Japanese characters that carry no meaning alone; pairs that hold one are kept."""
