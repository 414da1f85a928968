"""Writes data/universities.json: a list of the shape and size of the public university list.

    python services/scenarios/universities/generate.py > …/data/universities.json

The public list (github.com/Hipo/university-domains-list) had 77,553 lines when the study that this
scenario comes from was made: eight lines for each of 9,694 universities. Names here are made up;
countries are those of ISO 3166 with an alphabetic code, their sizes fall off as in the public list,
where one country has a quarter of all.
"""

import json
import random
from collections.abc import Iterator

_RECORDS = 9694
_BIGGEST = ("US", "United States", 2350)
_COUNTRIES = (
    "JP Japan|CN China|IN India|RU Russian Federation|DE Germany|BR Brazil|GB United Kingdom"
    "|FR France|IR Iran|ID Indonesia|MX Mexico|PH Philippines|CA Canada|TR Turkey|UA Ukraine"
    "|PL Poland|NG Nigeria|IT Italy|ES Spain|CO Colombia|KR Korea, Republic of|AR Argentina"
    "|PK Pakistan|TH Thailand|RO Romania|BD Bangladesh|CL Chile|MY Malaysia|CH Switzerland"
    "|KZ Kazakhstan|SD Sudan|EG Egypt|AU Australia|PE Peru|AT Austria|SA Saudi Arabia|CZ Czechia"
    "|VN Viet Nam|IQ Iraq|MA Morocco|FI Finland|NL Netherlands|BE Belgium|DZ Algeria|SE Sweden"
    "|HU Hungary|KE Kenya|GR Greece|DK Denmark|PT Portugal|UZ Uzbekistan|BG Bulgaria|EC Ecuador"
    "|VE Venezuela|TW Taiwan|BY Belarus|NO Norway|JO Jordan|SK Slovakia|GH Ghana|LB Lebanon"
    "|TN Tunisia|LK Sri Lanka|RS Serbia|IL Israel|NP Nepal|ET Ethiopia|ZA South Africa|IE Ireland"
    "|HR Croatia|SY Syria|CU Cuba|GT Guatemala|UG Uganda|DO Dominican Republic|AZ Azerbaijan"
    "|AM Armenia|GE Georgia|LT Lithuania|LV Latvia|EE Estonia|SI Slovenia|MD Moldova|AL Albania"
    "|BO Bolivia|PY Paraguay|UY Uruguay|CR Costa Rica|PA Panama|HN Honduras|SV El Salvador"
    "|NI Nicaragua|ZW Zimbabwe|TZ Tanzania|CM Cameroon|CI Côte d'Ivoire|SN Senegal|LY Libya"
    "|YE Yemen|OM Oman|AE United Arab Emirates|KW Kuwait|QA Qatar|BH Bahrain|NZ New Zealand"
    "|SG Singapore|HK Hong Kong|MM Myanmar|KH Cambodia|MN Mongolia|KG Kyrgyzstan|TJ Tajikistan"
    "|IS Iceland|LU Luxembourg|MT Malta|CY Cyprus|BA Bosnia and Herzegovina|MK North Macedonia"
    "|ME Montenegro|JM Jamaica|TT Trinidad and Tobago|ZM Zambia|MW Malawi|MZ Mozambique|RW Rwanda"
    "|NA Namibia|BW Botswana|MG Madagascar|BJ Benin|TG Togo|ML Mali|NE Niger|TD Chad|GA Gabon"
    "|CG Congo|AO Angola|SO Somalia|MU Mauritius|FJ Fiji|PG Papua New Guinea|BT Bhutan|MV Maldives"
)
_STEEPNESS, _OFFSET = 1.15, 4
_FIRST = ("North", "South", "East", "West", "Upper", "Lower", "New", "Old", "Royal", "Free")
_LAST = (
    "Lake",
    "Hill",
    "Bridge",
    "Harbour",
    "Forest",
    "Castle",
    "River",
    "Valley",
    "Field",
    "Cape",
)
_KINDS = ("University", "Institute of Technology", "Medical University", "College", "Academy")
_STATES = ("California", "Texas", "New York", "Ohio", "Pennsylvania", "Illinois", "Florida")


def _sizes() -> Iterator[tuple[str, str, int]]:
    """Code, name and number of universities of each country; together `_RECORDS`."""
    others = [entry.split(" ", 1) for entry in _COUNTRIES.split("|")]
    weights = [(rank + _OFFSET) ** -_STEEPNESS for rank in range(len(others))]
    left = _RECORDS - _BIGGEST[2]
    sizes = [max(1, int(left * weight / sum(weights))) for weight in weights]
    sizes[0] += left - sum(sizes)
    yield _BIGGEST
    yield from ((code, name, size) for (code, name), size in zip(others, sizes, strict=True))


def _records() -> Iterator[str]:
    chance = random.Random(77553)  # noqa: S311  the same list for everybody
    for code, country, size in _sizes():
        for number in range(1, size + 1):
            place = f"{chance.choice(_FIRST)} {chance.choice(_LAST)}"
            name = f"{place} {chance.choice(_KINDS)} {number}"
            domain = f"{place.lower().replace(' ', '')}{number}.ac.{code.lower()}"
            state = chance.choice(_STATES) if code == "US" and chance.random() < 0.2 else None
            fields = {
                "web_pages": [f"http://www.{domain}/"],
                "name": name,
                "domains": [domain],
                "alpha_two_code": code,
                "country": country,
                "state-province": state,
            }
            lines = (
                f"    {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
                for key, value in fields.items()
            )
            yield "  {\n" + ",\n".join(lines) + "\n  }"


if __name__ == "__main__":
    records = list(_records())
    random.Random(9694).shuffle(records)  # noqa: S311
    print("[\n" + ",\n".join(records) + "\n]")
