"""What two months of talk left behind, invented: outdated facts, corrections, repeats, and much that only looks alike.

The two Martas are the speaker's sister and a colleague; the two Pauls a brother and the landlord. `traps` hold
statements that resemble others without replacing or repeating them.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One statement: what was said and on which day of the two months."""

    key: str
    text: str
    day: int


SUPERSESSIONS: Sequence[tuple[str, str]] = (
    ("I live in Lisbon.", "I moved to Porto last month and live there now."),
    ("I work at Brightwater as a technician.", "I work at Halden Optics now."),
    ("My sister Marta lives in Faro.", "My sister Marta lives in Braga now."),
    ("My brother Paul works as a baker.", "My brother Paul works as a nurse now."),
    ("The staging server listens on port 8080.", "The staging server listens on port 9090 now."),
    ("We use MySQL for the archive.", "We switched from MySQL to Postgres for the archive."),
    ("My phone number ends in 17.", "Correction: my phone number ends in 71."),
    ("The team meeting is on Tuesday at 10:00.", "The team meeting was moved to Thursday at 14:00."),
    ("The project deadline is 12 June.", "The project deadline was pushed to 30 June."),
    ("Our budget is 4000 euros.", "Our budget is 5500 euros now."),
    ("I drive a green Corolla.", "I sold the Corolla and drive an electric Zoe now."),
    ("My manager is Ingrid.", "My manager is Tobias now."),
    ("My favorite color is orange.", "My favorite color is teal now."),
    ("I am vegetarian.", "I am no longer vegetarian."),
    ("The wifi password is on the fridge.", "The wifi password is in the drawer now."),
    ("My dentist is Dr Alvaro.", "My dentist is Dr Nunes now."),
    ("My flight leaves at 07:40.", "My flight leaves at 09:15 instead."),
    ("The rent is 850 euros.", "The rent is 910 euros now."),
    ("I go to the gym on Mill Street.", "I switched from the gym on Mill Street to the one at the harbour."),
    ("My landlord is Paul Reis.", "My landlord is Amelia Reis now."),
    ("The telescope is in the shed.", "The telescope is in the attic now."),
    ("The release version is 2.3.", "The release version is 2.4 now."),
    ("I drink my coffee with sugar.", "I don't drink my coffee with sugar anymore."),
    ("My office is on the third floor.", "My office is on the fifth floor now."),
    ("I am single.", "I am married now."),
    ("The dome motor has a ratio of 1:40.", "Actually, the dome motor has a ratio of 1:60."),
    ("My birthday is on 4 March.", "Sorry, I was wrong: my birthday is on 5 March."),
    ("The backup runs at 02:00.", "The backup runs at 04:30 now."),
    ("I use Vim as my editor.", "I switched from Vim to Helix."),
    ("The exhibition opens on 3 May.", "The exhibition opens on 10 May, not 3 May."),
    ("My wife works at the library.", "My wife works at the town hall now."),
    ("My mother lives in Evora.", "My mother moved from Evora to Beja."),
    ("Our cat is called Pixel.", "No, our cat is called Pickle."),
    ("My gym membership costs 30 euros a month.", "My gym membership costs 38 euros a month now."),
    ("I take the bus to work.", "I take the train to work now instead of the bus."),
    ("The contact for the lease is Mr Tavares.", "The contact for the lease is Mrs Lobo now."),
    ("We host the website on Netlify.", "We moved the website from Netlify to our own server."),
    ("The workshop is at 18:00.", "The workshop is at 19:30 now."),
    ("My daughter Lia goes to Oak School.", "My daughter Lia goes to Elm School now."),
    ("The queue is Redis.", "We replaced Redis with RabbitMQ as the queue."),
)
"""An outdated statement and the one that takes its place."""

REPEATS: Sequence[tuple[str, ...]] = (
    ("My aunt Rosa keeps bees.", "my aunt Rosa keeps bees"),
    ("I'm allergic to walnuts.", "I am allergic to walnuts!"),
    (
        "The spare key hangs behind the boiler.",
        "The spare key hangs behind the boiler.",
        "the spare key hangs behind the boiler",
    ),
    ("I love pistachio ice cream.", "I really love pistachio ice cream."),
    ("Our garage door sticks in winter.", "Our garage door sticks in winter!"),
    ("I play the viola on Sundays.", "I play the viola on Sundays, by the way."),
    ("My passport expires in 2029.", "My passport expires in 2029."),
    ("I prefer window seats.", "I prefer window seats."),
    ("The neighbours have three goats.", "The neighbours have three goats."),
    ("I can't stand coriander.", "I can not stand coriander."),
    ("My grandfather was a lighthouse keeper.", "My grandfather was a lighthouse keeper."),
    ("I don't eat shellfish.", "I do not eat shellfish."),
    ("The kayak has a crack near the bow.", "The kayak has a crack near the bow."),
    ("I sleep badly at full moon.", "i sleep badly at full moon"),
    ("My cousin Nuno races pigeons.", "My cousin Nuno races pigeons."),
    ("I've been to Norway twice.", "I have been to Norway twice."),
    ("The oven runs ten degrees too hot.", "The oven runs ten degrees too hot."),
    ("I write with my left hand.", "I write with my left hand."),
    ("Our book club reads crime novels.", "Our book club reads crime novels."),
    ("The bakery closes on Mondays.", "The bakery closes on Mondays."),
    ("I'm learning Finnish.", "I am learning Finnish."),
    ("My bike has eleven gears.", "My bike has eleven gears."),
    ("I keep my tax papers in the blue folder.", "I keep my tax papers in the blue folder."),
    ("The piano needs tuning.", "The piano really needs tuning."),
    ("My shoe size is 43.", "My shoe size is 43."),
    ("I met my wife at a chess tournament.", "I met my wife at a chess tournament."),
    ("The well in the garden is dry.", "The well in the garden is dry."),
    ("We don't have a television.", "We do not have a television."),
    ("I wear contact lenses.", "I wear contact lenses."),
    ("My uncle built this table.", "My uncle built this table."),
    ("Friday is pizza night.", "Friday is pizza night."),
    ("I'm afraid of heights.", "I am afraid of heights."),
    ("The lemon tree is older than the house.", "The lemon tree is older than the house."),
    ("I have a scar on my left knee.", "I have a scar on my left knee."),
    ("My best friend Olga is a geologist.", "my best friend Olga is a geologist."),
    ("I read the paper on the train.", "I read the paper on the train."),
    ("The roof was repaired in 2021.", "The roof was repaired in 2021."),
    ("I keep a diary in green ink.", "I keep a diary in green ink."),
    ("Our hens lay blue eggs.", "Our hens lay blue eggs."),
    ("I never take the lift.", "I never take the lift."),
)
"""Statements that say the same: one of each group is to stay."""

TRAPS: Sequence[str] = (
    "Marta Costa from accounting lives in Setubal.",
    "My colleague Marta Costa works in the Lisbon office.",
    "Paul Reis fixed the boiler himself.",
    "My brother Paul sings in a choir.",
    "I visited Madrid in spring.",
    "I would love to live in Madrid one day.",
    "Maybe we should move to Madrid.",
    "A friend of mine moved to Berlin.",
    "I like olives on pizza.",
    "I don't like olives in salad.",
    "I like jazz.",
    "I don't like free jazz.",
    "We use Postgres for the billing service.",
    "We use SQLite for the mobile app.",
    "The production server listens on port 443.",
    "The test server listens on port 7070.",
    "My sister plays the cello.",
    "My sister plays tennis.",
    "I have a dog called Otto.",
    "I have a tortoise called Speedy.",
    "I speak Portuguese.",
    "I speak German.",
    "I bought five tickets for the play.",
    "I bought six tickets for the match.",
    "My son is called Rui.",
    "My nephew is called Rui.",
    "The library opens at nine.",
    "The pool opens at ten.",
    "Did I ever tell you about Porto?",
    "Is the budget 6000 euros?",
    "If we get the grant, our budget will be 9000 euros.",
    "Brightwater has a new logo.",
    "Halden Optics sponsors the regatta.",
    "I used to work at the fish market.",
    "My mother would like to move to Lisbon.",
    "Ingrid has a new puppy.",
    "Tobias plays the drums.",
    "Teal looks good on walls.",
    "Dr Alvaro has moved his practice to Faro.",
    "Postgres has good support for geometry.",
    "The team outing is on Wednesday.",
    "The design review is on Tuesday at 11:00.",
    "The rent for the garage is 90 euros.",
    "The train to Braga takes one hour.",
    "My wife likes the town hall's clock.",
    "Our neighbour's cat is called Pixie.",
    "My father lives in Beja.",
    "My aunt lives in Evora.",
    "Our old office was on the second floor.",
    "The backup of the laptop runs at noon.",
    "The workshop for children is at 15:00.",
    "I drink my tea with sugar.",
    "My daughter Ana goes to Pine School.",
    "The telescope at the club has an eight inch mirror.",
    "I used Emacs in university.",
    "My phone is three years old.",
    "My car insurance ends in October.",
    "My gym bag is under the stairs.",
    "The exhibition in Faro opens on 20 May.",
    "The bus to the harbour is always late.",
)
"""Statements that resemble others; every one of them stays true."""

_WHO = ("Ines", "Bruno", "Chidi", "Dora", "Emre", "Freya", "Goran", "Hana", "Tomas", "Yuki", "Lena", "Viktor")
_DID = (
    "{0} collects stamps from island states",
    "{0} repaired the clock in our hallway",
    "{0} teaches ceramics at the evening school",
    "{0} once crossed the bay in a canoe",
    "{0} grows chilli peppers on the balcony",
    "{0} is writing a thesis about mosses",
    "{0} lent me a book on knots",
)
OTHERS: Sequence[str] = tuple(f"{line.format(who)}." for line in _DID for who in _WHO)
"""Facts about many people that have nothing to do with each other."""


def statements() -> list[Said]:
    """All of it in the order of saying: older ones first, spread over two months."""
    said = [
        *(Said(key=f"old-{n}", text=old, day=n % 20) for n, (old, _) in enumerate(SUPERSESSIONS)),
        *(Said(key=f"new-{n}", text=new, day=30 + n % 20) for n, (_, new) in enumerate(SUPERSESSIONS)),
        *(
            Said(key=f"repeat-{n}-{k}", text=text, day=5 + n % 10 + 15 * k)
            for n, group in enumerate(REPEATS)
            for k, text in enumerate(group)
        ),
        *(Said(key=f"trap-{n}", text=text, day=40 + n % 15) for n, text in enumerate(TRAPS)),
        *(Said(key=f"other-{n}", text=text, day=n % 55) for n, text in enumerate(OTHERS)),
    ]
    return sorted(said, key=lambda one: (one.day, one.key))
