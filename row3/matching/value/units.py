"""Units and currencies: how they are written and how much of the base unit each is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

CURRENCIES: dict[str, str] = {
    form: code
    for code, forms in {
        "USD": "$|us$|usd|dollar|dollars|us dollar|us dollars|u.s. dollars|american dollars|bucks",
        "EUR": "€|eur|euro|euros",
        "GBP": "£|gbp|pound sterling|pounds sterling|british pounds|quid",
        "JPY": "¥|jpy|yen|japanese yen",
        "CNY": "cny|rmb|yuan|renminbi|chinese yuan",
        "INR": "₹|inr|rs|rs.|rupee|rupees|indian rupees",
        "CHF": "chf|swiss franc|swiss francs",
        "AUD": "a$|au$|aud|australian dollar|australian dollars",
        "CAD": "c$|ca$|cad|canadian dollar|canadian dollars",
        "NZD": "nz$|nzd|new zealand dollars",
        "HKD": "hk$|hkd|hong kong dollars",
        "SGD": "s$|sgd|singapore dollars",
        "KRW": "₩|krw|won",
        "RUB": "₽|rub|ruble|rubles|rouble|roubles",
        "BRL": "r$|brl|real|reais",
        "SEK": "sek|swedish kronor|kronor",
        "NOK": "nok|norwegian kroner",
        "DKK": "dkk|danish kroner",
        "PLN": "pln|zloty|zlotys",
        "MXN": "mxn|mexican pesos",
        "ZAR": "zar|rand",
        "TRY": "₺|turkish lira",
        "ILS": "₪|ils|shekel|shekels",
        "BTC": "₿|btc|bitcoin|bitcoins",
    }.items()
    for form in forms.split("|")
}
"""A currency as it is written, in small letters, to its ISO 4217 code. A bare `dollar` is taken for the American."""

CENTS = {"cent": "USD", "cents": "USD", "¢": "USD", "euro cents": "EUR", "pence": "GBP", "pennies": "GBP"}
"""Hundredths of a currency."""

_PREFIXED = (
    # base unit, its short form, names, prefixes that are in use
    ("m", "m", "meter|metre", "nµmckM"),
    ("g", "g", "gram|gramme", "nµmk"),
    ("s", "s", "second|sec", "nµm"),
    ("l", "l", "liter|litre", "µmcdh"),
    ("l", "L", "liter|litre", "µmcdhk"),
    ("W", "W", "watt", "µmkMGT"),
    ("Wh", "Wh", "watt-hour|watt hour", "kMGT"),
    ("J", "J", "joule", "mkMGT"),
    ("eV", "eV", "electronvolt", "mkMGT"),
    ("Hz", "Hz", "hertz", "kMGT"),
    ("V", "V", "volt", "µmkM"),
    ("A", "A", "ampere|amp", "µm"),
    ("Ω", "Ω", "ohm", "mkM"),
    ("Pa", "Pa", "pascal", "hkMG"),
    ("N", "N", "newton", "mkM"),
    ("mol", "mol", "mole", "nµm"),
    ("cal", "cal", "calorie", "k"),
    ("byte", "B", "byte", "kMGTP"),
    ("bit", "bit", "bit", "kMGT"),
    ("pixel", "px", "pixel", "M"),
    ("Bq", "Bq", "becquerel", "kMG"),
    ("Sv", "Sv", "sievert", "µm"),
)
_PREFIXES = {
    "n": ("nano", -9),
    "µ": ("micro", -6),
    "m": ("milli", -3),
    "c": ("centi", -2),
    "d": ("deci", -1),
    "h": ("hecto", 2),
    "k": ("kilo", 3),
    "M": ("mega", 6),
    "G": ("giga", 9),
    "T": ("tera", 12),
    "P": ("peta", 15),
}
_OTHERS = {
    # base unit: amount of it and how it is written
    "m": "0.0254 in|inch|inches, 0.3048 ft|foot|feet, 0.9144 yd|yard|yards, 1609.344 mi|mile|miles, "
    "1852 nautical mile|nautical miles, 0.000001 micron|microns",
    "g": "1000 kilo|kilos, "
    "28.349523125 oz|ounce|ounces, 453.59237 lb|lbs, 1000000 t|tonne|tonnes|metric ton|metric tons, 0.000001 mcg",
    "s": "60 min|mins|minute|minutes, 3600 h|hr|hrs|hour|hours, 86400 d|day|days, 604800 week|weeks, "
    "1209600 fortnight|fortnights",
    "month": "1 month|months|mo, 12 year|years|yr|yrs, 120 decade|decades",
    "l": "3.785411784 gal|gallon|gallons, 1 dm3, 1000 m3|cubic meter|cubic meters|cubic metre|cubic metres|cu m|cu. m, "
    "28.316846592 cubic foot|cubic feet|cu ft|cu. ft|ft3",
    "m2": "1 m2|square meter|square meters|square metre|square metres|sq m|sq. m|sqm, 10000 ha|hectare|hectares, "
    "1000000 km2|square kilometer|square kilometers|square kilometre|square kilometres|sq km|sq. km, "
    "4046.8564224 acre|acres, 2589988.110336 square mile|square miles|sq mi|sq. mi, "
    "0.09290304 square foot|square feet|sq ft|sq. ft|ft2",
    "m/s": "1 meter per second|meters per second|metres per second, 5/18 km/h|kph|kmh|kilometers per hour|"
    "kilometres per hour|kilometer per hour, 0.44704 mph|miles per hour|mile per hour",
    "°C": "1 degree celsius|degrees celsius|degree centigrade|degrees centigrade|celsius|deg c|degrees c",
    "°F": "1 degree fahrenheit|degrees fahrenheit|fahrenheit|deg f|degrees f",
    "K": "1 kelvin|kelvins",
    "Pa": "100000 bar|bars, 101325 atm",
    "psi": "1 psi|pound per square inch|pounds per square inch",
    "mmHg": "1 mmhg|mm hg|millimetre of mercury|millimetres of mercury|millimeters of mercury",
    "rpm": "1 rpm|revolutions per minute|revolution per minute|rev/min|revs per minute",
    "bpm": "1 bpm|beats per minute|beats a minute|beats/min",
    "fps": "1 fps|frames per second",
    "dpi": "1 dpi|dots per inch",
    "mpg": "1 mpg|miles per gallon",
    "dB": "1 db|decibel|decibels",
    "kn": "1 knot|knots|kts",
    "ppm": "1 ppm|parts per million, 0.001 ppb|parts per billion",
    "°": "1 degree|degrees|deg",
    "point": "1 percentage point|percentage points|pp|pps|ppt|%-points, 0.01 basis point|basis points|bp|bps",
    "pound": "1 pound|pounds",  # of money or of mass: the text alone does not tell
    "tsp": "1 tsp|tsps|teaspoon|teaspoons",
    "tbsp": "1 tbsp|tbsps|tablespoon|tablespoons",  # of three teaspoons, or of four
    "cup": "1 cup|cups",
    "ton": "1 ton|tons",  # short, long or metric
}
CASED: dict[str, tuple[str, Fraction]] = {"°C": ("°C", Fraction(1)), "°F": ("°F", Fraction(1)), "K": ("K", Fraction(1))}
"""Short forms, where a capital makes a difference: base unit and amount of it."""
NAMED: dict[str, tuple[str, Fraction]] = {}
"""Names of units in small letters."""


def _prefixed() -> Iterator[tuple[str, tuple[str, Fraction], bool]]:
    for base, short, names, prefixes in _PREFIXED:
        for sign, (prefix, power) in {"": ("", 0), **{p: _PREFIXES[p] for p in prefixes}}.items():
            value = (base, Fraction(10) ** power)
            yield sign + short, value, True
            if sign == "µ":
                yield "u" + short, value, True
                yield "μ" + short, value, True
            for name in names.split("|"):
                yield prefix + name, value, False
                yield prefix + name + "s", value, False


for _form, _value, _cased in _prefixed():
    (CASED if _cased else NAMED)[_form] = _value
CASED["KB"] = CASED["kB"]
CASED |= {f"{_sign}M": ("mol/l", CASED[f"{_sign}mol"][1]) for _sign in ("n", "µ", "u", "μ", "m")}
CASED |= {f"{_sign}b": CASED[f"{_sign}bit"] for _sign in "kMGT"}
CASED |= {f"{_sign}iB": ("byte", Fraction(1024) ** _power) for _power, _sign in enumerate("KMGT", 1)}
CASED |= {f"{_sign}bps": ("bit/s", CASED[f"{_sign}bit"][1]) for _sign in "kMGT"}
CASED |= {f"{_sign}Bps": ("byte/s", CASED[f"{_sign}B"][1]) for _sign in "kMGT"}
for _base, _text in _OTHERS.items():
    for _entry in _text.split(", "):
        _amount, _forms = _entry.split(" ", 1)
        for _form in _forms.split("|"):
            NAMED[_form] = (_base, Fraction(_amount))


_POWER = re.compile(r"(?P<base>[A-Za-zµμΩ]+)\^?(?P<power>[2-4])")


def unit_of(text: str) -> tuple[str, Fraction] | None:
    """Base unit, and how much of it one of this unit is; None for no unit. `mW` is not `MW`.

    A unit per another is written `mg/dl` or `mg per dl`.
    """
    found = CASED.get(text) or NAMED.get(text if len(text) < 3 else text.lower())
    if found is not None:
        return found
    power = _POWER.fullmatch(text)
    if power is not None and (base := unit_of(power["base"])) is not None:
        return f"{base[0]}^{power['power']}", base[1] ** int(power["power"])
    over, slash, under = text.replace(" per second squared", "/s2").replace(" per ", "/").partition("/")
    if not slash:
        return None
    one, other = unit_of(over.strip()), unit_of(under.strip())
    return None if one is None or other is None else (f"{one[0]}/{other[0]}", one[1] / other[1])
