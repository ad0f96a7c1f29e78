"""What somebody told, and what an agent is about to say, invented: to see when the streaming gate speaks up.

A stale draft says another value than the store; a restating one says what the store says; an unsure one admits not to
know what the store knows; a harmless one is about the same things without a word against them; the rest is about
something else.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum


class DraftKind(StrEnum):
    """How a draft stands to what is stored."""

    STALE = "stale"
    UNSURE = "unsure"
    RESTATING = "restating"
    HARMLESS = "harmless"
    UNRELATED = "unrelated"


FACTS: Sequence[str] = (
    "My dentist appointment is on Thursday at noon.",
    "My sister Leonor lives in Tromsø.",
    "I work at Kestrel Instruments.",
    "The observatory server listens on port 7443.",
    "My flight to Bergen leaves at 6:25.",
    "The rent for the studio is 940 euros.",
    "My landlord is Anders Holm.",
    "The team meeting is on Wednesday at 9:30.",
    "My phone contract ends on 14 August.",
    "Our backup runs at 3:15 every night.",
    "My daughter Mira goes to Birch School.",
    "The release version is 5.2.",
    "I drive a grey Volvo.",
    "The wifi password is taped under the printer.",
    "My favourite tea is lapsang souchong.",
    "I am allergic to hazelnuts.",
    "The spare key lies in the blue teapot.",
    "My mother's birthday is on 9 November.",
    "The choir rehearses on Mondays in the old chapel.",
    "We use Postgres for the sensor archive.",
    "My editor is Helix.",
    "The garden shed was painted green in spring.",
    "I can't stand coriander.",
    "My neighbour Oskar keeps three beehives.",
    "The telescope mirror has a diameter of 40 centimetres.",
    "My passport expires in March 2031.",
    "The quarterly report is due on 30 September.",
    "I run ten kilometres every Saturday.",
    "My bike is at the workshop on Quay Street.",
    "The heating engineer comes on Friday morning.",
    "Our cat is called Saffron.",
    "I take the tram number 12 to work.",
    "My accountant is Ingrid Solberg.",
    "The summer cabin has no running water.",
    "I prefer aisle seats on long flights.",
    "My brother Tomas plays the cello.",
    "The dome motor was replaced in May.",
    "We decided to spend Christmas in Tromsø.",
    "My violin lesson costs 45 euros.",
    "The library card number ends in 77.",
)

DRAFTS: Mapping[DraftKind, Sequence[str]] = {
    DraftKind.STALE: (
        "Your dentist appointment is on Tuesday at noon.",
        "Your sister Leonor lives in Narvik.",
        "You work at Halden Optics.",
        "The observatory server listens on port 8080, so open that in the firewall.",
        "Your flight to Bergen leaves at 8:40, which gives you time for breakfast.",
        "The rent for the studio is 880 euros.",
        "Your landlord is Peter Lund.",
        "The team meeting is on Monday at 9:30.",
        "Your phone contract ends on 14 June, so you should cancel it now.",
        "Our backup runs at 1:00 every night.",
        "Your daughter Mira goes to Maple School.",
        "The release version is 4.9.",
    ),
    DraftKind.UNSURE: (
        "I don't know when your dentist appointment is.",
        "I'm not sure where your spare key lies.",
        "I don't have your mother's birthday, sorry.",
        "I can't recall the name of your cat.",
        "I have no record of where your bike is at the moment.",
        "You haven't told me who your accountant is.",
        "I don't know which tram you take to work.",
        "I'm not sure when the heating engineer comes.",
    ),
    DraftKind.RESTATING: (
        "Your dentist appointment is on Thursday at noon.",
        "Your sister Leonor lives in Tromsø.",
        "You work at Kestrel Instruments.",
        "The observatory server listens on port 7443.",
        "The rent for the studio is 940 euros.",
        "Your landlord is Anders Holm.",
        "The spare key lies in the blue teapot.",
        "Your cat is called Saffron.",
        "The choir rehearses on Mondays in the old chapel.",
        "You prefer aisle seats on long flights.",
    ),
    DraftKind.HARMLESS: (
        "Dentists recommend a check-up twice a year.",
        "Northern Norway has polar night around Christmas.",
        "A firewall should only open the ports that a server needs.",
        "Rents rise fastest where new offices are built.",
        "A short agenda keeps a team meeting from running over.",
        "Backups are only worth something once a restore was tried.",
        "Cats sleep for more than half of the day.",
        "A cello is tuned in fifths, an octave below the viola.",
        "Beehives need shelter from the wind in winter.",
        "A larger mirror collects more light and shows fainter stars.",
    ),
    DraftKind.UNRELATED: (
        "Simmer the lentils for twenty minutes and season them at the end.",
        "The French Revolution began in 1789 with the storming of the Bastille.",
        "Photosynthesis turns light, water and carbon dioxide into sugar.",
        "A haiku has three lines of five, seven and five syllables.",
        "Basalt forms when lava cools quickly at the surface.",
        "Use a list comprehension where the loop only builds a list.",
        "The Nile flows north into the Mediterranean.",
        "Sourdough rises more slowly than dough with baker's yeast.",
        "Chess openings fight for the four squares in the middle.",
        "Octopuses have three hearts and blue blood.",
    ),
}
"""Each draft is one sentence of an answer."""
