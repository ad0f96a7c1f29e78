"""Makes `places.npy`: numbers of the names of towns and regions, from the area codes that phonenumbers knows.

usage: python -m memory_core.claims.gather_places

Only numbers are kept (CRC-32, 4 bytes a name): the names themselves would take ten times the memory, and nothing needs
to list them. One word of about 100,000 that is no place has the number of one, which a further cue must confirm anyway.
"""

from pathlib import Path

import numpy as np
from phonenumbers.geodata import GEOCODE_DATA

from memory_core.claims.places import PLACES_FILE, number_of_place

_EXTRA = """uk usa us eu england scotland wales bavaria europe asia africa portugal spain france germany italy austria
switzerland netherlands belgium denmark sweden norway finland iceland ireland poland czechia hungary romania bulgaria
greece turkey ukraine russia estonia latvia lithuania croatia serbia slovenia slovakia canada mexico brazil argentina
chile peru colombia australia zealand japan china taiwan korea india thailand vietnam indonesia malaysia singapore
philippines egypt morocco tunisia kenya nigeria ghana ethiopia israel lebanon jordan dubai luxembourg malta cyprus
brooklyn manhattan queens nyc la sf münchen köln wien zürich genf lissabon lisboa rom mailand roma milano sevilla"""


def main() -> None:
    """Gather and write."""
    names = {name.split(",")[0].casefold() for places in GEOCODE_DATA.values() for name in places.values()}
    names |= {part.strip() for name in names for part in name.split("/")}
    numbers = np.unique(np.fromiter(map(number_of_place, (names | set(_EXTRA.split())) - {""}), np.uint32))
    np.save(PLACES_FILE, numbers)
    print(f"{len(numbers)} places, {Path(PLACES_FILE).stat().st_size} bytes")  # noqa: T201 a tool that is run by hand


if __name__ == "__main__":
    main()
