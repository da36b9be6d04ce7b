"""Declarations that cannot be right are refused when the domain is built, each with one line."""

from dataclasses import replace

import duckdb
import pytest

import crab_graph.domain as cd
from crab_graph.domain.sql_words import SQL_WORDS
from crab_graph.domain.validation import problems_of
from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.errors import CrabGraphError, DeclarationError

DOCTOR = cd.Provider("doctor", "DR", ("field",), names=cd.Names("Dr. {person}"))
VISIT = cd.Offer(
    "visit",
    "VI",
    {
        "field": cd.Choice(("eyes", "ears")),
        "date": cd.Day(),
        "part": cd.Choice(("early", "late")),
        "minute": cd.Clock("part", {"early": (480, 600), "late": 900}),
        "takes": cd.Choice((20, 40)),
        "done": cd.Later("minute", "takes"),
        "price": cd.Price({"eyes": 40, "ears": 30}, "field"),
        "available": cd.Stock((1, 2)),
    },
    provider=DOCTOR,
    always={"late ones are short": lambda one: (one.part != "late") | (one.takes < 40)},
    holds=cd.Count("places"),
    units="people",
)
ROOM = cd.Offer(
    "room",
    "RO",
    {
        "plans": cd.Several(("Basic", "Full")),
        "opens": cd.Day(),
        "nights_open": cd.Choice((1, 2)),
        "closes": cd.Later("opens", "nights_open"),
        "beds": cd.Capacity((1, 2)),
    },
    holds=cd.Stay("visit.date", "second.date", "opens", "closes"),
    units="nights",
)
SLOTS = (
    cd.Slot("visit", VISIT, "visit", role={"field": "eyes"}),
    cd.Slot("second", VISIT, "second visit", role={"field": "ears"}),
    cd.Slot("room", ROOM, "room"),
)
WANTS = (
    cd.Want("nights", (1, 2), basic=True),
    cd.Want("people", (1, 2), basic=True),
    cd.Want("part", ("early", "late"), ("visit.part",), odds=0.5),
    cd.Want("plan", ("Basic",), ("room.plans",), odds=0.5),
)
RULES = (
    cd.Rule("gap", lambda visit, second, r: second.date == visit.date + r.nights, "{r.nights} on"),
    cd.Rule(
        "covers",
        lambda visit, second, room: (room.opens <= visit.date) & (room.closes >= second.date),
        "the room is open",
    ),
)
SOUND = cd.Declaration(
    name="care",
    slots=SLOTS,
    wants=WANTS,
    rules=RULES,
    window=cd.Window("day", "visit.date"),
    budget=cd.Budget(),
    people=cd.People("people"),
    horizon=((-1,), (1, "nights")),
    opening="A visit {day}, {nights}, for {people}.",
)


def with_offer(offer, changed):
    """Return the declaration with another offer in the place of one."""
    slots = [replace(slot, offer=changed) if slot.offer is offer else slot for slot in SLOTS]
    return replace(SOUND, slots=slots)


def with_field(name, field, offer=VISIT):
    return with_offer(offer, replace(offer, fields={**offer.fields, name: field}))


def visit(**changes):
    return with_offer(VISIT, replace(VISIT, **changes))


def provider(**changes):
    return visit(provider=replace(DOCTOR, **changes))


def shared(name, field, **changes):
    """Return the declaration with one more field, which a doctor's visits share."""
    fields, shares = {**VISIT.fields, name: field}, (*DOCTOR.shares, name)
    return visit(fields=fields, provider=replace(DOCTOR, shares=shares), **changes)


def room(**changes):
    return with_offer(ROOM, replace(ROOM, **changes))


def want(*args, **options):
    return replace(SOUND, wants=(*WANTS, cd.Want(*args, **options)))


def rule(holds, sentence="so", **options):
    return replace(SOUND, rules=(*RULES, cd.Rule("rule", holds, sentence, **options)))


def slot(**changes):
    return replace(SOUND, slots=(replace(SLOTS[0], **changes), *SLOTS[1:]))


def room_from(day):
    return replace(SOUND, slots=(*SLOTS[:2], replace(SLOTS[2], days=(day, "second.date"))))


IDENTITIES = {
    "name 'Care Home': begin with a lower-case letter": replace(SOUND, name="Care Home"),
    "job 'a visit!': tools are named after it": replace(SOUND, job="a visit!"),
    "slot 'r': it stands for the request; call it otherwise": slot(id="r"),
    "field 'class': its name is taken or no identifier": with_field("class", cd.Choice((1, 2))),
    "field 'order': its column is a word of SQL": with_field("order", cd.Choice((1, 2))),
    "offer 'room', holds: is 'single'; give Single(), Count(), Each() or Stay(…)": room(
        holds="single"
    ),
    "holds: is <class": room(holds=cd.Single),
    "rules: is no list; write several, such as rules=(…,)": replace(
        SOUND,
        rules=RULES[0],  # type: ignore[arg-type]
    ),
    "two slots are called 'room'": slot(id="room"),
    "slot 'my-visit': rules take it": replace(
        SOUND, slots=(*SLOTS, replace(SLOTS[2], id="my-visit"))
    ),
    "two facts are called 'nights'": want("nights", (1,)),
    "two facts are called 'email'": want("email", ("a",)),
    "two facts are called 'day'": want("day", (1,)),
    "two fields of a request are called 'first_day'": want("first_day", (1,)),
    "two rules are called 'gap'": replace(SOUND, rules=(*RULES, RULES[0])),
    "two checks are called 'D01'": replace(
        SOUND,
        slots=(replace(SLOTS[0], check="D01"), *SLOTS[1:]),
        rules=(replace(RULES[0], check="D01"), RULES[1]),
    ),
    "'class': requests have it as a field": want("class", (1,)),
    "the prefix 'VI' stands for two kinds of ids": room(prefix="VI"),
    "prefix 'BK': it is the engine's": room(prefix="BK"),
    "prefix 'ro': use capital letters": room(prefix="ro"),
    "digits: 2 are too few": room(digits=2),
    "two tables are called 'bookings'": room(name="booking"),
    "two tables are called 'doctors'": room(plural="doctors"),
    "another offer is booked as 'visit' too": with_offer(ROOM, replace(ROOM, kind="visit")),
    "provider 'doctor' has two offers": with_offer(
        ROOM, replace(VISIT, name="exam", prefix="EX", kind="exam")
    ),
    "offer 'room', kind 'quiet room': tools are named after it": room(kind="quiet room"),
    "offer 'a room': its name makes a table": room(name="a room"),
    "add one that says room.closes >= second.date": replace(
        SOUND,
        rules=(
            RULES[0],
            cd.Rule("opens", lambda visit, room: room.opens <= visit.date, "the room is open"),
        ),
    ),
    "directory 'wards': its rows must have the same columns": replace(
        SOUND, directories=(cd.Directory("wards", ({"ward": "A"}, {"ward": 2})),)
    ),
    "two tables are called 'doctors'; give": replace(
        SOUND, directories=(cd.Directory("doctors", ({"doctor_id": "A"},)),)
    ),
    "two axes are called 'x'": replace(
        SOUND,
        wants=(*WANTS[:2], *(cd.Want(one, (1, 2), axis=cd.Axis("x")) for one in ("a", "b"))),
    ),
}

FIELDS = {
    "field 'part': its values must be at least one": with_field("part", cd.Choice(("early",) * 2)),
    "must all be int or all str": with_field("takes", cd.Choice((20, "40"))),
    "sample 3 is not from 1": with_field("part", cd.Choice(("early", "late"), sample=3)),
    "codes: 'noon' is none of its values": with_field(
        "part", cd.Choice(("early", "late"), codes={"noon": "N"})
    ),
    "must have no comma": with_field("plans", cd.Several(("a, b", "c")), ROOM),
    "1 <= least <= most": with_field("plans", cd.Several(("Basic",), most=2), ROOM),
    "hours: lack late of 'part'": with_field("minute", cd.Clock("part", {"early": 480})),
    "hours: 'early' is '8:00'; give a minute of the day, or the first and last": with_field(
        "minute",
        cd.Clock("part", {"early": "8:00", "late": 900}),  # type: ignore[dict-item]
    ),
    "'late' is not within a day": with_field(
        "minute", cd.Clock("part", {"early": 480, "late": (1000, 1500)})
    ),
    "refers to 'time', which there is not": with_field("minute", cd.Clock("time", {"early": 480})),
    "of 'date', which is no Choice": with_field("minute", cd.Clock("date", {"early": 480})),
    "per 'date', which is no Choice": with_field(
        "minute", cd.Clock("part", {"early": 480, "late": 900}, per=("date",))
    ),
    "after 'part', which is neither": with_field("done", cd.Later("part", "takes")),
    "stands before 'until'": with_offer(
        VISIT,
        replace(
            VISIT,
            fields={
                "done": cd.Later("until", "takes"),
                **{name: one for name, one in VISIT.fields.items() if name != "done"},
                "until": cd.Later("minute", "takes"),
            },
        ),
    ),
    "field 'done': stands before 'done'": with_field("done", cd.Later("done", "takes")),
    "by 'part', which is no Choice of numbers": with_field("done", cd.Later("minute", "part")),
    "its span must hold": with_field("done", cd.Later("minute", cd.Span(9, 2))),
    "later than a day": with_field("done", cd.Later("minute", cd.Span(0, 600))),
    "base: lacks ears of 'field'": with_field("price", cd.Price({"eyes": 3}, "field")),
    "'nose' is no value of 'field'": with_field(
        "price", cd.Price({"eyes": 3, "ears": 3, "nose": 3}, "field")
    ),
    "amounts by 'field' must be above 0": with_field(
        "price", cd.Price({"eyes": 3, "ears": 0}, "field")
    ),
    "levels: (180, 70)": with_field(
        "price", cd.Price({"eyes": 3, "ears": 3}, "field", levels=(180, 70))
    ),
    "hours: 'noon' is none of its values": with_field(
        "part", cd.Choice(("early", "late"), hours={"noon": (720, 780)})
    ),
    "hours: 'late' is not within the hours of 'late', 960 to 1080": with_field(
        "part", cd.Choice(("early", "late"), hours={"late": (960, 1080)})
    ),
    "hours: lack ('ears', 'late') of 'field, part'": with_field(
        "minute",
        cd.Clock(
            ("field", "part"),
            {("eyes", "early"): 480, ("eyes", "late"): 900, ("ears", "early"): 480},
        ),
    ),
    "hours: 'early' has no 12 times": with_field(
        "minute", cd.Clock("part", {"early": (480, 530), "late": 900}, per=(cd.LEVEL,))
    ),
    "refers to 'price level'": with_field(
        "starts", cd.Clock("nights_open", {1: (480, 600), 2: 480}, per=(cd.LEVEL,)), ROOM
    ),
    "takes: lacks an amount for ('eyes',), ('ears',) of 'field'": with_field(
        "minute",
        cd.Clock(
            "part", {"early": (480, 600), "late": 900}, ("field",), LONG := cd.Given(("field",), {})
        ),
    ),
    "takes: what decides it must be among `of` and `per`": with_field(
        "minute",
        cd.Clock(
            "part",
            {"early": 480, "late": 900},
            takes=cd.Given(("field",), {("eyes",): 20, ("ears",): 30}),
        ),
    ),
    "by: lacks an amount for ('eyes',), ('ears',)": with_field("done", cd.Later("minute", LONG)),
    "by: of 'date', which is no Choice": with_field(
        "done", cd.Later("minute", cd.Given(("date",), {}))
    ),
    "can be later than a day, minute 1500": with_field(
        "done",
        cd.Later("minute", cd.Given(("part",), {("early",): 60, ("late",): 600})),
    ),
    "by 'part': a list of percentages is for the weekdays": with_field(
        "price", cd.Price({"eyes": 3, "ears": 3}, "field", {"part": (100,) * 7})
    ),
    "by 'date': give seven percentages": with_field(
        "price", cd.Price({"eyes": 3, "ears": 3}, "field", {"date": (100,)})
    ),
    "steps: 0 levels": with_field("price", cd.Price({"eyes": 3, "ears": 3}, "field", steps=0)),
    "incidental: 'done' is no field that nothing else decides": visit(incidental=("done",)),
    "provider 'doctor', most: 0 offers": provider(most=0),
    "provider 'doctor', about: 9 is above its `most`": provider(about=9, most=4),
    "a Price is called 'price'": with_field("fee", cd.Price({"eyes": 3, "ears": 3}, "field")),
    "its values must be 1 or more": with_field("beds", cd.Capacity((0, 2)), ROOM),
    "has two fields that are Stock": with_field("left", cd.Stock((1, 2))),
    "field 'total': its name is taken": with_field("total", cd.Choice((1, 2))),
    "field 'identity': its name is taken": with_field("identity", cd.Choice((1, 2))),
    "field 'price': is no Price, and called as one": with_field("price", cd.Choice((1, 2)), ROOM),
    "field 'room_id': this is the id of a table": with_field("room_id", cd.Choice((1, 2))),
    "offer 'visit', field 'doctors': `search_doctors` answers with two things under "
    "'doctors'; choose another name": with_field("doctors", cd.Choice((1, 2))),
    "field 'currency': `search_doctors` answers": with_field("currency", cd.Choice(("EUR", "USD"))),
    "field 'bookings': `search_rooms` answers with two things under 'bookings'": with_field(
        "bookings", cd.Choice((1, 2)), ROOM
    ),
    "field 'check_in' and holds: `search_rooms` answers": with_field(
        "check_in", cd.Choice((1, 2)), ROOM
    ),
    "field 'part' and field 'takes': `search_visits` answers with two things": with_field(
        "takes", cd.Choice((20, 40), shown="part")
    ),
    "field 'visits': `search_doctors` answers": shared("visits", cd.Choice((1, 2))),
    "offer 'visit', holds: `book_visit` answers with two things under 'status'": visit(
        holds=cd.Count("status")
    ),
    "field 'status': `show_visit` answers": shared(
        "status", cd.Choice(("new", "old")), tools=cd.Tools(details="show_visit")
    ),
    "is 7, no field": with_field("part", 7),
    "shares: 'visit' has no field 'colour'": provider(shares=("field", "colour")),
    "shares: 'available' is each offer's own": provider(shares=("field", "available")),
    "shares: 'minute' is decided by what is not shared": provider(shares=("field", "minute")),
    "shares: nothing free": provider(shares=()),
    "names: it has a provider": visit(names=cd.Names("{person}")),
    "there is no list 'first'": provider(names=cd.Names("{first}")),
    "names no list": provider(names=cd.Names("Dr. Who")),
    "by 'date', which is no Choice": provider(names=cd.Names("{person}", by="date")),
    "by 'part', which the provider does not share": provider(names=cd.Names("{person}", by="part")),
    "list 'a': lacks words for 'ears'": provider(
        names=cd.Names("{a}", {"a": {"eyes": ["x"]}}, by="field")
    ),
    "has x twice": provider(names=cd.Names("{a}", {"a": ["x", "x"]})),
    "Each is for one person each": replace(visit(holds=cd.Each()), people=None),
    "a Stay has as many units as days": room(units=None),
    "closes 'beds' is no day": room(holds=cd.Stay("visit.date", "second.date", "opens", "beds")),
    "opens 'door' is no field": room(holds=cd.Stay("visit.date", "second.date", "door", "closes")),
    "no Stock; leave it out": with_field("left", cd.Stock((1,)), ROOM),
    "tools: needs 'colour' is no field": visit(tools=cd.Tools(needs=("colour",))),
    "bundles 'x': there is no field 'colour'": visit(bundles={"x": ("colour",)}),
    "adds: names 2 calls; 1 at most": room(adds=("a", "b")),
    "always 'x': takes 2 parameters": visit(always={"x": lambda one, two: one.part == two.part}),
    "always 'x': reads one.colour": visit(always={"x": lambda one: one.colour == 2}),
    "always 'y': always answers True": visit(always={"y": lambda one: True}),
    "has a day, but the domain has no `window`": replace(SOUND, window=None),
}

DEMANDS = {
    "on 'visit.colour': 'visit' has no field 'colour'; it has field, date": want(
        "colour", ("red",), ("visit.colour",)
    ),
    "on 'lab.date': there is no slot 'lab'": want("when", ("2027-01-01",), ("lab.date",)),
    "holds ends 'third.date': there is no slot": room(
        holds=cd.Stay("visit.date", "third.date", "opens", "closes")
    ),
    "holds ends 'visit.part': that is no day": room(
        holds=cd.Stay("visit.date", "visit.part", "opens", "closes")
    ),
    "days: begins 'third.date': there is no slot": room_from("third.date"),
    "days: begins 'visit.part': that is no day": room_from("visit.part"),
    "slot 'visit', days: its offer is not held by the day": slot(days=("visit.date",) * 2),
    "role: there is no field 'colour'": slot(role={"colour": "red"}),
    "role: 'nose' is no value of 'field'": slot(role={"field": "nose"}),
    "role: 'part' is not shared": slot(role={"part": "late"}),
    "slots 'visit' and 'second': nothing says": slot(role={"field": "ears"}),
    "'noon' is none of the values of 'part', early, late": want("x", ("noon",), ("visit.part",)),
    "'Gold' is none of the values of 'plans'": want("x", ("Gold",), ("room.plans",)),
    "values: must be ISO dates": want("x", (3,), ("second.date",)),
    "values: must be integers": want("x", ("3",), ("room.beds",)),
    "values: must all be integers, or all be texts": want("x", (3, "a")),
    "values: there is none": want("x", ()),
    "'part' is no number": want("x", ("late",), ("second.part",), compare="at_least"),
    "compare 'more'": want("x", (1,), ("room.beds",), compare="more"),
    "sentence: must have one `{}`": want("x", (1,), ("room.beds",), sentence="so"),
    "odds: 2 is not from 0 to 1": want("x", (1,), ("room.beds",), odds=2),
    "must name each value of the first axis": want("x", (1,), odds={"fixed": 0.5}),
    "role: says which offers are meant, so every request": want(
        "x", ("eyes",), ("visit.field",), role=True, odds=0.5
    ),
    "axis: what takes turns has values of its own": want("x", (1, 2), odds=0.5, axis=cd.Axis("x")),
    "units: there is no want 'size'": visit(units="size"),
    "units: want 'part' must have numbers": visit(units="part"),
    "people, size: there is no want 'size'": replace(SOUND, people=cd.People("size")),
    "horizon: there is no want 'days'": replace(SOUND, horizon=((-1,), ("days",))),
    "window 'day', on 'visit.part': 'part' of 'visit' is no Day": replace(
        SOUND, window=cd.Window("day", "visit.part")
    ),
    "window 'day', on 'visit.when': 'visit' has no field": replace(
        SOUND, window=cd.Window("day", "visit.when")
    ),
    "widths: must be numbers of days": replace(
        SOUND, window=cd.Window("day", "visit.date", widths=(0,))
    ),
    "axis: must have as many values": replace(
        SOUND, window=cd.Window("day", "visit.date", axis=cd.Axis("x", values=("a",)))
    ),
    "ahead: must be days": replace(SOUND, window=cd.Window("day", "visit.date", ahead=(5, 2))),
    "budget: nothing has a price": visit(
        fields={name: one for name, one in VISIT.fields.items() if name != "price"}
    ),
    "budget: share must be": replace(SOUND, budget=cd.Budget(share=(0, 2))),
    "optional_odds: 'fixed' is no value of the first axis": replace(
        SOUND, optional_odds={"fixed": {(): 1}}
    ),
    "opening: 'A visit {day': expected '}'": replace(SOUND, opening="A visit {day"),
    "want 'x', on: bites on no field, and no rule reads r.x": want("x", (1, 2)),
    "groups 'visits': there is no slot 'third'": replace(SOUND, groups={"visits": ("third",)}),
    "spread: there is no 'colour'": replace(SOUND, spread=("colour",)),
    "opening: '{colour}' is no basic fact; there are nights, people, day": replace(
        SOUND, opening="A {colour} visit."
    ),
    "two tools are called 'charge_booking'": visit(tools=cd.Tools(book="charge_booking")),
    "two tools are called 'search_doctors'": room(tools=cd.Tools(search="search_doctors")),
    "needs 'part' is no field of a doctor; it has field": visit(tools=cd.Tools(needs=("part",))),
    "filters 'closes': a search takes choices and days": room(tools=cd.Tools(filters=("closes",))),
    "texts 'search_rom': there is no such tool": room(tools=cd.Tools(texts={"search_rom": "a"})),
    "texts 'book_room.x': the tool has no such argument": room(
        tools=cd.Tools(texts={"book_room.x": "a"})
    ),
    "offer 'room': its 'opens' decides (rule 'covers') and no tool shows it": room(
        tools=cd.Tools(shows=("plans", "closes"), filters=())
    ),
    "offer 'visit': its 'price' decides (the budget) and no tool shows it": visit(
        tools=cd.Tools(shows=("field", "part", "date", "minute", "takes"))
    ),
    "want 'x', on: 'visit.part' is one text": want("x", ("late",), "visit.part"),
    "want 'x', values: 'late' is one text": want("x", "late", ("visit.part",)),
    "provider 'doctor', shares: 'field' is one text": provider(shares="field"),
    "field 'part', values: 'ab' is one text": with_field("part", cd.Choice("ab")),
    "tools, needs: 'field' is one text": visit(tools=cd.Tools(needs="field")),
    "rule 'rule', instead: 'part' is one text": rule(
        lambda visit, r: visit.part == "late", joint=True, instead="part"
    ),
    "whole: 'stay' is one text; write several, such as ('stay',)": replace(SOUND, whole="stay"),
    "offer 'visit', incidental: 'part' is one text": visit(incidental="part"),
    "rule 'rule': holds is True": rule(True),
    "its offer is 'room', which is no Offer": slot(offer="room"),
    "slots: has 'visit', which is no Slot": replace(
        SOUND,
        slots=("visit",),  # type: ignore[arg-type]
    ),
}

PREDICATES = {
    "rule 'rule': reads slot 'visit' alone": rule(lambda visit: visit.takes == 20),
    "rule 'rule': never reads 'room'": rule(lambda visit, second, room: visit.part == second.part),
    "rule 'rule': always answers True": rule(lambda visit, second: True),
    "rule 'rule': reads no slot": rule(lambda visit, second, r: r.nights == 2),
    "takes 'lab', which is no slot": rule(lambda visit, lab: visit.part == lab.part),
    "a chained comparison)": rule(lambda visit, second: 1 < visit.takes < second.takes),
    "(`and`, `or`": rule(lambda visit, second: visit.takes > 20 and second.takes > 20),
    "reads visit.colour, which there is not": rule(
        lambda visit, second: visit.colour == second.part
    ),
    "reads r.size, which there is not": rule(
        lambda visit, second, r: visit.takes == second.takes + r.size
    ),
    "compares visit.part with 'noon', which it never is; it is early, late": rule(
        lambda visit, second: (visit.part == "noon") | (second.takes > 20)
    ),
    "always 'x': compares one.part with 'noon'": visit(
        always={"x": lambda one: one.part != "noon"}
    ),
    "compares a text with a number": rule(lambda visit, second: visit.part == second.takes),
    "sentence: '{r.size}' is nothing": rule(
        lambda visit, second: visit.part == second.part, "for {r.size}"
    ),
    "rule 'rule': instead: every request wishes for 'height'; give that want odds below 1": replace(
        want("height", (20,), ("visit.takes",)),
        rules=(
            *RULES,
            cd.Rule("rule", lambda visit: visit.takes > 20, "", joint=True, instead=("height",)),
        ),
    ),
    "rule 'rule': wording: give `say`, and `parts`": rule(
        lambda visit: visit.takes > 20, joint=True
    ),
    "whichever: of the request it reads its own value alone, not r.nights": rule(
        lambda visit, r: visit.takes >= 20 * r.nights, joint=True, whichever="visit.takes"
    ),
    "rule 'rule', odds: 7": rule(lambda visit, second: visit.part == second.part, odds=7),
}


def test_what_is_sound_has_no_problems():
    for declaration in (SOUND, CLINIC.declaration, TRAVEL.declaration):
        assert [*problems_of(declaration)] == []


@pytest.mark.parametrize("says", [*IDENTITIES, *FIELDS, *DEMANDS, *PREDICATES])
def test_what_cannot_be_right_is_told_in_one_line(says):
    declaration = (IDENTITIES | FIELDS | DEMANDS | PREDICATES)[says]
    with pytest.raises(DeclarationError) as caught:
        cd.build(declaration)
    assert [line for line in caught.value.problems if says in line], caught.value.problems
    assert all(
        line.startswith(f"domain '{declaration.name}': ") for line in str(caught.value).splitlines()
    )
    assert isinstance(caught.value, CrabGraphError)


def test_a_wish_for_the_cheaper_of_two_values_needs_no_value_of_its_own():
    wording = cd.Wording(
        "The shorter.", ask="shorter", parts="shorter", about="shorter", outcome="is cheaper"
    )
    two = (lambda visit: visit.takes >= 20), (lambda visit: visit.takes > 20)
    either, one = (
        rule(holds, joint=True, whichever="visit.takes", wording=wording) for holds in two
    )
    assert [*problems_of(either)] == []
    (line,) = problems_of(one)
    assert line.startswith("rule 'rule': whichever: it lets fewer than two values")


def test_all_problems_are_told_at_once():
    wrong = want("colour", ("red",), ("visit.colour",))
    wrong = replace(
        wrong,
        slots=(*wrong.slots[:2], replace(SLOTS[2], offer=replace(ROOM, prefix="VI", digits=1))),
    )
    assert len([*problems_of(wrong)]) == 3


def test_one_thing_can_be_given_instead_of_derived():
    plain = cd.build(SOUND)
    kinds = {name: replace(kind, unit="piece") for name, kind in plain.kinds.items()}
    given = cd.build(SOUND, kinds=kinds, show_value=lambda name, value: "x", job="round")
    assert given.kinds is kinds
    assert given.grading.show_value("date", 3) == "x"
    assert given.job == "round"
    assert given.grading.declared == plain.grading.declared
    seen = []

    def watched(request):
        seen.append(request)
        return plain.build_graph(request)

    cd.build(SOUND, build_graph=watched).draft(3, {})
    assert seen
    with pytest.raises(TypeError, match="colour"):
        cd.build(SOUND, colour="red")


def test_every_word_that_the_database_keeps_is_known_as_one():
    listed = duckdb.connect().execute(
        "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'"
    )
    assert {word for (word,) in listed.fetchall()} <= SQL_WORDS
