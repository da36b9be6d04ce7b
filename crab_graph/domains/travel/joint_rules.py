"""The joint wishes of travellers: alternatives, a share, conditions, distances (see `Rule`)."""

from functools import reduce
from operator import or_
from typing import Any

import crab_graph.domain as cd

_PAIRS = (
    (("museum", "morning"), ("show", "evening")),
    (("museum", "afternoon"), ("tour", "morning")),
    (("tour", "morning"), ("show", "afternoon")),
    (("tour", "afternoon"), ("museum", "evening")),
    (("show", "evening"), ("tour", "afternoon")),
    (("show", "afternoon"), ("museum", "morning")),
)
_EITHER = {
    " or else ".join(f"a {category} in the {part}" for category, part in pair): pair
    for pair in _PAIRS
}
"""Two attractions of which either is welcome: what each is, and in which part of the day."""


def _is_either(attraction: Any, r: Any) -> Any:
    return reduce(
        or_,
        (
            (r.attraction_either == value)
            & (attraction.category == category)
            & (attraction.time_of_day == part)
            for value, pair in _EITHER.items()
            for category, part in pair
        ),
    )


def _one_of_them(category: str, part: str) -> str:
    """Return the fragment that finds one of the two: both words, and no other ones between them."""
    other = r"(?!\b(?:museum|tour|show|morning|afternoon|evening)s?\b)"
    between = rf"(?:{other}[^.;\n]){{0,30}}"
    before = rf"(?:{other}[^.;\n]){{0,12}}"
    return rf"\b{category}s?\b{between}\b{part}s?\b|\b{part}s?\b{before}\b{category}s?\b"


def _is_apart(outbound: Any, return_: Any, attraction: Any) -> Any:
    return ((outbound.time_of_day != "night") | (attraction.date > outbound.date + 1)) & (
        (return_.time_of_day != "night") | (attraction.date + 1 < return_.date)
    )


def _takes_no_more(outbound: Any, return_: Any, r: Any) -> Any:
    flights = (outbound.price + return_.price) * r.party_size
    return flights * 100 <= r.flights_share * r.budget_cents


_DISTRICTS = {
    f"{one} or {other}": (one, other)
    for one, other in (
        ("Harborside", "Old Town"),
        ("Market District", "Station Quarter"),
        ("Riverfront", "Market District"),
        ("Union Square", "Garden Quarter"),
        ("Hilltop", "West End"),
        ("Canal Row", "Station Quarter"),
        ("Old Town", "Riverfront"),
        ("Garden Quarter", "Hilltop"),
    )
}
"""Two districts of which the one is wished that makes the trip cheaper."""

_NAMED = "|".join(sorted({name for pair in _DISTRICTS.values() for name in pair}))
_CHEAPER = r"\b(?:cheap(?:er|est)|less|lower|lowest|least|saves?|inexpensive|better value)\b"


_ONE = rf"(?<!or )\b(?:{_NAMED.casefold()})\b(?! or\b)"
_NOT_BETWEEN = r"\b(?:or|if|unless|which|whichever|wherever|where|whether|of|between)\b"
_OUTCOME = (
    rf"{_ONE}(?:(?!{_NOT_BETWEEN}|\band\b)[^.;?!\n]){{0,40}}?{_CHEAPER}",
    rf"{_CHEAPER}(?: (?:one )?of (?:the two|both|your two)(?: \w+)?)?"
    rf"(?:(?!{_NOT_BETWEEN})[^.;?!\n]){{0,30}}?{_ONE}",
)
"""That one of two districts is the cheaper one."""


def _costs_no_more(outbound: Any, return_: Any, r: Any) -> Any:
    return outbound.price + return_.price <= r.cheapest_flights


_FLIGHTS = r"\b(?:flights?|air ?fares?|fares?|flying)\b"
_PAIR = r"\b(?:flights?|air ?fares?|fares?|pair|fl-\d+)\b"
_LEAST = r"\b(?:cheapest|(?<!at )least|lowest|minimum|minimal)\b"
_TOGETHER = (
    r"\b(?:together|combined|combination|total|sum|both|two|pair|jointly|altogether|in all)\b"
)
_MATTERS = r"\b(?:matters?|important|priority|concern)\b"


_PRICE_MATTERS = (
    rf"\b(?:price|cost)s?\b.{{0,40}}{_FLIGHTS}.{{0,30}}{_MATTERS}",
    rf"{_MATTERS}.{{0,40}}\b(?:price|cost)s?\b.{{0,30}}{_FLIGHTS}",
    rf"\b(?:price|cost)s?\b.{{0,20}}{_MATTERS}.{{0,30}}{_FLIGHTS}",
)
_OF_FLIGHTS = (
    r"(?<!seat )(?<!seating )"
    r"\b(?:preferences?|wish(?:es)?|requirements?|matters?|regarding|about)\b"
    r"[^.;?!\n]{0,40}\bflights\b",
    r"\bwhich flights\b",
)
"""What asks for a wish on what flights cost: if that matters, and any wish on them."""
_SAVING = r"(?:cheapest|lowest (?:price|total|cost)s?|as cheap as possible|least expensive)"
_DECIDES = (
    r"\b(?:decide|choose|pick|go|rank|select)\b[^.?!\n]{0,20}\b(?:by|on|according to)\b(?! me\b)",
    rf"\b(?:should|shall|do|would|may|can|is|or)\b[^.?!\n]{{0,40}}\b{_SAVING}\b"
    r"(?![^.?!\n]{0,12}\bhotel)",
    rf"\b{_SAVING}\b[^.?!\n]{{0,60}}\bor\b",
    r"\bhow (?:shall|should|do|would|am|can) i (?:choose|decide|pick|select|rank)\b",
    r"\b(?:cheaper|lower) (?:total|price|cost|trip)\b[^.?!\n]{0,40}\bor\b",
)
"""Asks by what to choose, where several trips fit."""
_VISITED = r"\b(?:attractions?|tickets?|visits?|outings?|museums?|tours?|shows?|at-\d+)\b"
_AND = r"(?:\b(?:and|plus|with|as well as)\b|[+&])"
_OUTING = (
    rf"(?:{_PAIR}[^.;?!\n]{{0,25}}{_AND}[^.;?!\n]{{0,20}}{_VISITED}"
    rf"|{_VISITED}[^.;?!\n]{{0,15}}{_AND}[^.;?!\n]{{0,20}}{_PAIR})"
)
"""Names flights and what is visited together."""


def _said_least(ids: str) -> tuple[str, ...]:
    """Return what finds that something is said to cost least, given what ids of it begin with."""
    named = rf"\b(?:{ids})-\d+\b"
    return (
        r"(?<!so that )(?<!such that )(?<!that together )"
        r"(?:\b(?:these|those|this|they|it)\b|(?:\A|[,;:] )(?:so |and |then )?that\b)"
        rf"[^.;?!\n]{{0,40}}?(?:\b(?:is|are|being|cost)|'s|'re)\b[^.;?!\n]{{0,30}}{_LEAST}",
        rf"{named}[^?!\n]{{0,80}}{_LEAST}|{_LEAST}[^?!\n]{{0,80}}{named}",
        rf"{_LEAST}(?:(?!\b(?:budget|within|under|below|up to|limit)\b)[^.;?!\n]){{0,60}}\$ ?\d",
    )


def _outing_costs_no_more(outbound: Any, return_: Any, attraction: Any, r: Any) -> Any:
    return outbound.price + return_.price + attraction.price <= r.cheapest_outing


def _is_in_either(hotel: Any, r: Any) -> Any:
    return reduce(
        or_,
        (
            (r.cheaper_district == value) & ((hotel.district == one) | (hotel.district == other))
            for value, (one, other) in _DISTRICTS.items()
        ),
    )


_SHARES = tuple(range(20, 85, 5))
_SPOKEN = {20: "(?:a|one) fifth", 25: "(?:a|one) quarter", 50: "half", 75: "three quarters"}
_SEAT, _NIGHT, _VISIT = {"premium economy": 170, "business": 220}, 130, 40
"""Dollars of a seat of some cabins, of a night and of a visit, about, where a budget is kept."""


def _shares_that_bind(request: Any) -> tuple[int, ...]:
    """Return shares of which some flights within the budget take more, and others less."""
    party, seat = request.party_size, _SEAT.get(request.seat_type, 95)
    flights = 2 * seat * party
    room = _NIGHT * request.nights * (5 if party > 2 else 4) // 4
    usual = 100 * flights // (flights + room + _VISIT * party) // 5 * 5
    return tuple(share for share in _SHARES if usual - 5 <= share <= usual)


_BUDGET_BREAKS = (
    r"\b(?:unless|except|if|when|where|as long as|provided|only|within|otherwise|subject to"
    r"|(?:budget|money|\d) (?:allow|permit|bear|carr|stretch)\w*|failing that|or else)\b"
)

_BY_NIGHT = (
    r"\bnight[- ]?(?:time )?(?:flights?|departures?)\b|\bred-?eyes?\b"
    r"|\b(?:flights?|fly(?:ing)?)\b[^.;,\n]{0,30}\b(?:at|by) night\b"
    r"|\bday of an? (?:evening|late)(?:[- ]\w+)? (?:flight|departure)\b"
    r"|\b(?:if|when(?:ever)?|where|should|in case)\b[^.;\n]{0,30}"
    r"\b(?:flights?|legs?|plane"
    r"|(?:one|it|either|any)(?: of (?:them|these|the two))? (?:leaves?|departs?|goes|is))\b"
    r"[^.;\n]{0,30}(?:\b(?:17(?:[:.]00)?|evening|late|dark)\b|\b(?:5|five) ?p\.?m\b)"
)
"""What speaks of flights by night, also by the hour at which night begins, as a condition."""

_KIND = r"\b(?:museum|tour|show)s?\b"
_NO_DAY = r"\A(?!.*\b(?:days?|dates?|when|prices?|district)\b).*"
_STARS = r"(?:\bstars?\b|\bstar (?:rating|hotel)|★)"
_DAYS = r"\b(?:days?|ones?|both|two|sides?)\b"
_BESIDE = (
    r"\b(?:(?:before|after)(?!(?: or after| or before)? (?:the |\w+ )?\d)|prior|preceding"
    r"|(?:following|previous|next)(?! (?:one|questions?|points?|items?|steps?|things?)\b)"
    r"|neighbou?ring|adjacent|adjoining"
    r"|subsequent|around|either|too|as well)\b"
)

JOINT_RULES = (
    cd.Rule(
        "attraction_either",
        _is_either,
        "the attraction is {r.attraction_either}",
        check="D26",
        title="one of the two attractions wished",
        joint=True,
        values=tuple(_EITHER),
        instead=("attraction_category", "attraction_time_of_day"),
        wording=cd.Wording(
            (
                "The attraction should be {value}, both are equally welcome.",
                "For the attraction we want {value}, and would be happy with either.",
            ),
            "Attraction: {value}, either is welcome.",
            ask=r"\b(?:museum|tour|show)s?\b[^,;?]{0,40}\bor\b(?! else)",
            parts={value: [_one_of_them(*one) for one in pair] for value, pair in _EITHER.items()},
            about=(
                r"\b(?:an?|attractions?:?|want|like|prefer|for|either|first) (?:\w+ ){0,2}?"
                r"(?:museum|tour|show)s?\b"
                r"|\b(?:museum|tour|show)s?\b[^.;\n]{0,30}\b(?:morning|afternoon|evening)\b"
                r"|\b(?:museum|tour|show)s? or\b"
                r"|\b(?:or|morning|afternoon|evening)s? (?:\w+ ){0,2}?(?:museum|tour|show)s?\b"
            ),
            clarify=(
                rf"{_NO_DAY}{_KIND}.*\b(?:first|fallback|fall back|prefer\w*|rather|ranked|rank"
                r"|priority"
                r"|back-?up|equal\w*|either|both|alternative|pick one|choose|available|also do"
                r"|also (?:ok(?:ay)?|fine|work\w*)|better|order)\b",
                rf"{_NO_DAY}\b(?:first|prefer\w*|rather|rank|both|either|which)\b.*{_KIND}",
                rf"{_KIND}.{{0,30}}\bor\b.{{0,30}}{_KIND}",
                r"\b(?:both|those|these|they|the two)\b.{0,20}\b(?:equal|ranked)\b",
                r"\b(?:in that order|equally (?:welcome|good|fine)|order of preference)\b",
                r"\b(?:plan (?:a|b)|your pick|do both|one of (?:them|the two))\b",
                r"\bboth (?:of them|are available|fit)\b|\bjust one of (?:the|them)\b",
            ),
        ),
    ),
    cd.Rule(
        "flights_share",
        _takes_no_more,
        "the two flights together cost at most {r.flights_share} % of the budget",
        check="D27",
        title="share of the budget for flights",
        joint=True,
        values=_SHARES,
        suits=_shares_that_bind,
        wording=cd.Wording(
            (
                "The two flights together should not take more than {value} of the budget.",
                "We want to spend at most {value} of the budget on the two flights.",
            ),
            "Both flights together at most {value} of the budget.",
            ask=(
                r"\b(?:share|part|portion|proportion|fraction|percent\w*|split|divid\w+)\b"
                r".{0,40}\b(?:budget|money|total)\b",
                r"\bbudget\b.{0,40}\b(?:share|split|divided|percent\w*|spread)\b",
            ),
            unit=("1 %", "{n} %"),
            parts={
                share: (
                    rf"(?<![\d.]){share} ?(?:%|per ?cent)|\b{_SPOKEN.get(share, '(?!)')}\b(?! ?\d)",
                    r"\b(?:flights?|air ?fares?|fares|flying)\b",
                )
                for share in _SHARES
            },
            about=r"\d ?%|\bper ?cent\b|\b(?:half|quarters?|thirds?|fifths?) (?:of|for|on)\b",
            clarify=(
                r"\b(?:share|portion|half|per ?cent\w*)\b|\d ?%",
                rf"{_FLIGHTS}[^?]*\b(?:cap|limit|ceiling|guideline)\b",
                rf"\b(?:cap|limit|ceiling|guideline)\b[^?]*{_FLIGHTS}",
                r"\b(?:how much|max\w*|at most|up to)\b.{0,40}\bflights\b",
                r"\bflights?\b.{0,40}\b(?:how much|max\w*|at most|up to|in dollars)\b",
                r"\b(?:per|each|every|one) flight\b.{0,40}\b(?:both|two|together)\b",
                r"\b(?:both|two|together)\b.{0,40}\b(?:per|each|every|one) flight\b",
            ),
        ),
    ),
    cd.Rule(
        "stars_unless",
        lambda hotel, r: hotel.stars >= r.stars_unless,
        "the hotel has at least {r.stars_unless} stars, unless that breaks the budget",
        check="D28",
        title="as many stars as the budget allows",
        joint=True,
        values=(4, 5),
        instead=("hotel_stars",),
        unless="total_budget",
        wording=cd.Wording(
            (
                "The hotel should have at least {value}, unless that breaks the budget.",
                "We want a hotel of at least {value}, or fewer only if no such trip fits the "
                "budget.",
            ),
            "Hotel: at least {value}, unless that breaks the budget.",
            ask=r"\bstars?\b.{0,40}\bbudget\b",
            unit=("1 star", "{n} stars"),
            parts=(
                r"\b{n}(?:[- ]?\+| (?:or|and) (?:more|better|up|above|higher))?"
                r"[- ]?(?:stars?\b|\*|★)",
                _BUDGET_BREAKS,
                r"\bbudget\b|\$ ?\d",
            ),
            about=r"\bstars?\b|★",
            clarify=(
                rf"{_STARS}.*\b(?:budget|stretch|priority|hard|must|exact\w*|lowe?r?|fewer|less"
                r"|still|requirement|firm|strict|minimum|no matter what|how low|pric(?:ier|e?y)"
                r"|more money|dearer)\b",
                rf"\b(?:budget|stretch|priority|hard|must|how low|must-have|fall back)\b.*{_STARS}",
                r"\b(?:break\w*|over|bust\w*|beyond|exceed\w*) (?:the|your) budget\b",
                r"\bif not\b.*\b(?:what|how|which)|\bmin(?:imum)?\b|\bfall-?back\b|\botherwise\b",
                r"\bhow low\b|\bfloor\b|\bfewer\b|\b[2-5] or [2-5]\b|\bhow many\b.*\bw(?:as|ere)\b",
                rf"\b(?:accept|take|would|could)\b.*{_STARS}",
            ),
        ),
    ),
    cd.Rule(
        "apart_from_nights",
        _is_apart,
        "the attraction is not on the day of a night flight, nor on the day before or after it",
        check="D29",
        title="no attraction next to a night flight",
        joint=True,
        instead=("outbound_time_of_day", "return_time_of_day"),
        wording=cd.Wording(
            (
                "Flights can leave at any time, but if a flight leaves at night, the attraction "
                "should be neither on that day nor on the day before or after it.",
                "The flights can leave whenever, but we want no attraction on the day of a night "
                "flight, nor on the day before or after it.",
            ),
            "Flights at any time, but no attraction on the day of a night flight or the day before "
            "or after it.",
            ask=r"\b(?:red-?eyes?|night flights?|jet ?lag|rest(?:ed)? (?:day|after))\b",
            parts=(
                _BY_NIGHT,
                r"\bday\b",
                r"\b(?:next|before|after|adjacent|adjoining|either side|neighbou?ring|following"
                r"|around|beside|within (?:a|one|1))\b",
            ),
            about=_BY_NIGHT,
            clarify=(
                rf"{_DAYS}[^?]{{0,40}}{_BESIDE}",
                rf"{_BESIDE}[^?]{{0,40}}{_DAYS}",
                rf"(?:{_BY_NIGHT})[^?]*\b(?:or|may|can|could|what|which|when|until|how|still)\b",
                rf"\b(?:or|may|can|could|what|which|when|until|how|still)\b[^?]*(?:{_BY_NIGHT})",
                r"\bif\b[^?]*\b(?:fl(?:y|ies|ights?)|return|outbound|leaves?|depart\w*)\b"
                r"[^?]*\b(?:attraction|tour|museum|show|visit)\b",
                r"\b(?:attraction|tour|museum|show|visit)\b[^?]*"
                r"\bif\b[^?]*\b(?:fl(?:y|ies|ights?)|return|outbound|leaves?|depart\w*)\b",
                r"\b(?:also|too|still|is|are) (?:out|excluded|blocked|off[- ]limits|taboo|free)\b"
                r"|\beve\b|\b(?:break|against|violate) (?:your|the|that) (?:rule|wish)\b"
                r"|\bday(?:time)? flights?\b",
                r"\b(?:counts?(?: as)?|is|mean by|call)\b[^?]{0,20}\bnight\b",
                r"\b(?:that|this|it|rule|condition)\b[^?]{0,30}"
                r"\b(?:(?:concern|apply|hold|cover|affect)(?:s|ies)?|go(?:es)? for)\b",
            ),
        ),
    ),
    cd.Rule(
        "cheaper_district",
        _is_in_either,
        "the hotel is in {r.cheaper_district}, whichever makes the whole trip cheaper",
        check="D30",
        title="hotel in the cheaper of two districts",
        joint=True,
        values=tuple(_DISTRICTS),
        whichever="hotel.district",
        instead=("same_district",),
        wording=cd.Wording(
            (
                "The hotel should be in {value}, whichever makes the whole trip cheaper.",
                "We want to stay in {value}, wherever the whole trip costs less.",
            ),
            "Hotel in {value}, whichever makes the whole trip cheaper.",
            ask=(
                r"\b(?:which|what|any|preferred|particular|favou?rite) (?:\w+ ){0,3}?(?:districts?|"
                r"neighbou?rhoods?|areas?|quarters?|parts? of (?:the )?(?:city|town))\b",
                r"\bwhere (?:in (?:the )?(?:city|town)|to stay|(?:would|do) you "
                r"(?:like|want|prefer) to stay)\b",
            ),
            parts={
                value: (*(rf"\b{name.casefold()}\b" for name in pair), _CHEAPER)
                for value, pair in _DISTRICTS.items()
            },
            about=rf"\b(?:{_NAMED.casefold()})\b",
            clarify=(
                rf"\b(?:{_NAMED.casefold()})\b.*\bor\b.*\b(?:{_NAMED.casefold()})\b",
                rf"\b(?:{_NAMED.casefold()})\b.*\b[b2][).:].*\b(?:{_NAMED.casefold()})\b",
                r"\bwhole (?:trip|journey)\b|\bfavou?rite\b|\bworth\b.*\bmore\b|\boutside\b",
                r"\bcheaper\b[^?]*\b(?:sense|mean\w*|hotel|rate|total|whole|trip|night|still|same"
                r"|overall|itself)\b",
                r"\b(?:which|one) of (?:the|those|these) (?:two|districts|areas|neighbou?rhoods)\b",
                r"\b(?:both|the two|they) (?:cost|come to|are|were|turn out) (?:\w+ )?the same\b",
                r"\b(?:another|other|different|third|elsewhere|those two|these two|one of these"
                r"|one of those|either)\b[^?]{0,20}"
                r"\b(?:districts?|areas?|neighbou?rhoods?|quarters?)\b",
            ),
            outcome=_OUTCOME,
        ),
    ),
    cd.Rule(
        "cheapest_flights",
        _costs_no_more,
        "no two flights with which all else fits cost less together",
        check="D31",
        title="the two flights that cost least together",
        joint=True,
        least=("outbound.price", "return.price"),
        wording=cd.Wording(
            (
                "Of the flights that fit all the rest, we want the two that cost least together.",
                "We would like the cheapest pair of flights, out and back together, that fits all "
                "the rest.",
            ),
            "Flights: the two that cost least together.",
            ask=(
                *_PRICE_MATTERS,
                rf"\bcheapest\b.{{0,30}}{_FLIGHTS}",
                *_OF_FLIGHTS,
                *_DECIDES,
            ),
            parts=(
                rf"\A(?!.*{_LEAST}[^.;?!\n]{{0,30}}{_OUTING})"
                rf"(?!.*{_OUTING}[^.;?!\n]{{0,40}}{_LEAST}).*{_FLIGHTS}",
                _LEAST,
                _TOGETHER,
            ),
            about=(
                rf"{_LEAST}[^.;?!\n]{{0,40}}{_PAIR}|{_PAIR}[^.;?!\n]{{0,40}}{_LEAST}"
                rf"|\byou(?:.d| would)? (?:want|like|wish|prefer)\b[^.;?!\n]{{0,40}}{_LEAST}"
                rf"|{_LEAST} (?:together|combined)\b"
            ),
            clarify=(
                rf"{_LEAST}[^?]*\b(?:pair|together|each|separately|overall|itself|mean|above|cabin"
                r"|must|class|sum|individually|alone|combined|by far)\b",
                rf"\b(?:mean|pair|together|each|must|sum|does)\b[^?]*{_LEAST}",
                r"\b(?:price|cost)\b[^?]{0,20}\b(?:before|over|above|more than|first)\b",
                rf"{_LEAST}.*\beven if\b|\bas cheap as\b|\bsum\b|\$ ?\d+ (?:more|extra)\b",
                r"\bcheapest (?:hotel|room|tour|attraction|show|museum)\b",
                r"\b(?:slightly|a (?:bit|little)|somewhat) (?:dearer|more expensive|pricier)\b",
                r"\bcheap flights?\b[^?]*\bor\b",
                rf"\b(?:hotel|attraction|room|tour|rest|trip)\b[^?]*\balso\b[^?]*{_LEAST}",
            ),
            outcome=_said_least("fl"),
        ),
    ),
    cd.Rule(
        "cheapest_outing",
        _outing_costs_no_more,
        "no two flights and attraction with which all else fits cost less together",
        check="D32",
        title="the flights and the attraction that cost least together",
        joint=True,
        least=("outbound.price", "return.price", "attraction.price"),
        wording=cd.Wording(
            (
                "Of all that fits the rest, we want the two flights and the attraction that cost "
                "least together.",
                "Both flights and the attraction, taken together, should be the cheapest that fit "
                "all the rest.",
            ),
            "Flights and attraction: those that cost least together.",
            ask=(
                *_PRICE_MATTERS,
                rf"\bcheapest\b.{{0,30}}(?:{_FLIGHTS}|{_VISITED})",
                *_OF_FLIGHTS,
                *_DECIDES,
            ),
            parts=(_OUTING, _LEAST),
            about=(
                rf"{_LEAST}[^.;?!\n]{{0,40}}(?:{_PAIR}|{_VISITED})"
                rf"|(?:{_PAIR}|{_VISITED})[^.;?!\n]{{0,40}}{_LEAST}"
                rf"|\byou(?:.d| would)? (?:want|like|wish|prefer)\b[^.;?!\n]{{0,40}}{_LEAST}"
                rf"|{_LEAST} (?:together|combined)\b"
            ),
            clarify=(
                rf"{_LEAST}[^?]*\b(?:pair|together|each|separately|overall|itself|mean|above|cabin"
                r"|must|class|sum|individually|alone|combined|by far|three|hotel)\b",
                rf"\b(?:mean|pair|together|each|must|sum|does)\b[^?]*{_LEAST}",
                r"\b(?:price|cost)\b[^?]{0,20}\b(?:before|over|above|more than|first)\b",
                rf"{_LEAST}.*\beven if\b|\bas cheap as\b|\bsum\b|\$ ?\d+ (?:more|extra)\b",
                r"\bcheapest (?:hotel|room|tour|attraction|show|museum|flights?|pair)\b",
                r"\b(?:slightly|a (?:bit|little)|somewhat) (?:dearer|more expensive|pricier)\b",
                r"\bcheap flights?\b[^?]*\bor\b",
                rf"\b(?:mean|sum|total|count|together|combined)\b[^?]*{_OUTING}",
                rf"{_OUTING}[^?]*\b(?:mean|sum|together|combined|count|per person)\b",
                rf"\b(?:hotel|attraction|room|tour|rest|trip)\b[^?]*\balso\b[^?]*{_LEAST}",
            ),
            outcome=_said_least("fl|at"),
        ),
    ),
)
