"""Plans as agents lay them out, written from a task's rows, right or with one wrong detail."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from crab_graph.domain.declaration import Stay
from crab_graph.domain.english import plural, spoken
from crab_graph.domain.subjects import Subject, clock_hours, subjects
from crab_graph.domains.task import Task
from crab_graph.personas.spoken_dates import MONTHS
from crab_graph.personas.wordbook import ValueForm

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_HIDDEN = ("available", "_id", "fare_name", "nights_open", "max_occupancy", "turnaround")


@dataclass
class Part:
    """What fills one slot: the row it comes from, and how many units of it are booked."""

    slot: str
    title: str
    item: str
    unit: str
    units: int
    row: dict[str, Any]
    days: tuple[str, str] | None = None

    @property
    def cents(self) -> int:
        return int(self.row["price_cents"]) * self.units


@dataclass
class Written:
    """A plan in values, before it is laid out; `wrong` is the key of the detail that is not so."""

    task: Task
    parts: list[Part]
    names: list[str]
    party: int
    total: int
    wrong: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


def plan_of(task: Task) -> Written:
    """Return a certified solution of a task."""
    world, facts = task.world, {fact.key: fact.value for fact in task.facts}
    parts = []
    for slot in task.domain.slots:
        ids = task.kept_solutions[0][slot.id]
        row: dict[str, Any] = {}
        named = [str(one) for one in ids.values() if "-" in str(one) and not str(one)[0].isdigit()]
        for table in world.tables:
            for one in named:
                row |= world.get(table, one) or {}
        declared = next(one for one in task.domain.declaration.slots if one.id == slot.id)
        units = facts.get(declared.offer.units, 1) if declared.offer.units else 1
        days = (ids["check_in"], ids["check_out"]) if "check_in" in ids else None
        parts.append(Part(slot.id, slot.word, named[0], declared.offer.unit, units, row, days))
    people = facts.get("traveller_names") or []
    total = sum(part.cents for part in parts)
    return Written(task, parts, list(people), facts.get("party_size", 1), total)


def wrong_plans(task: Task, rng: random.Random) -> Iterator[Written]:
    """Yield plans with one wrong detail, one for each fact of the user that a plan can miss."""
    facts = {fact.key: fact.value for fact in task.facts}
    declaration = task.domain.declaration
    for subject in subjects(declaration):
        if subject.key in facts:
            plan = plan_of(task)
            if _spoil(plan, subject, facts[subject.key], rng):
                yield replace(plan, wrong=subject.key)
    if "budget" in facts:
        plan = plan_of(task)
        over = int(facts["budget"].replace(".", "")) - plan.total + rng.choice((500, 12050, 30000))
        plan.parts[0].row["price_cents"] += -(-over // plan.parts[0].units)
        yield replace(plan, wrong="budget", total=sum(part.cents for part in plan.parts))
    if facts.get("traveller_names"):
        plan = plan_of(task)
        plan.names[rng.randrange(len(plan.names))] = "Maren Oakwell"
        yield replace(plan, wrong="traveller_names")


def _spoil(plan: Written, subject: Subject, value: Any, rng: random.Random) -> bool:
    """Make one detail of a plan wrong; tell whether that could be done."""
    parts = [part for part in plan.parts if part.slot in subject.slots]
    if subject.form is ValueForm.COUNT and not subject.slots:
        return _spoil_count(plan, subject, value, rng)
    if subject.same:
        return _spoil_same(parts, subject, rng)
    if not parts or subject.form in {ValueForm.FLAG, ValueForm.TEXT}:
        return False
    part = rng.choice(parts)
    if subject.form is ValueForm.DATE:
        column = next(name for name in ("date", "departure_date", "start") if name in part.row)
        days = value if isinstance(value, list) else [value]
        shift = rng.choice((1, 2)) if len(days) == 1 else 1
        part.row[column] = _shifted(days[-1], shift)
        return True
    hours = clock_hours(plan.task.domain.declaration, subject)
    known = [one for one in subject.known if one != value]
    if subject.field not in part.row and not hours:
        cities = [name for name in ("origin", "destination", "city") if part.row.get(name) == value]
        if not cities:
            return False
        others = [one for one in known if one not in part.row.values()]
        part.row[cities[0]] = rng.choice(others)
        part.row["is_wrong_place"] = True
        return True
    if hours:
        if value not in hours:
            return False
        other = rng.choice([one for one in hours if one != value])
        start = rng.choice(range(int(hours[other][0] * 60), int(hours[other][1] * 60) - 30, 5))
        minute = next(name for name in part.row if name.endswith("minute"))
        last = next((name for name in part.row if name in {"arrival_minute", "end_minute"}), None)
        if last:
            part.row[last] = min(1435, start + part.row[last] - part.row[minute])
        part.row[minute] = start
        part.row["time_of_day"] = other
        return True
    if subject.compare == "at_least":
        lower = [one for one in known if one < value]
        part.row[subject.field] = rng.choice(lower) if lower else value
        return bool(lower)
    if subject.field == "plans" or isinstance(part.row.get(subject.field), list | tuple):
        return False
    if subject.field == "category":
        return _rename(part, value, rng)
    part.row[subject.field] = rng.choice(known)
    return True


def _rename(part: Part, value: str, rng: random.Random) -> bool:
    other = rng.choice([one for one in ("museum", "tour", "show") if one != value])
    part.row["category"] = other
    part.row["name"] = " ".join([*part.row["name"].split()[:-1], other.title()])
    return True


def _spoil_count(plan: Written, subject: Subject, value: int, rng: random.Random) -> bool:
    counted = [part for part in plan.parts if _counts(plan, part) == subject.key]
    if not counted:
        return False
    if subject.key == "party_size":
        plan.party = value + 1
        for part in counted:
            part.units = value + 1
        plan.names = plan.names[:0]
    else:
        for part in counted:
            part.units = max(1, value + rng.choice((-1, 1)))
            if part.days:
                part.days = (part.days[0], _shifted(part.days[0], part.units))
    plan.total = sum(part.cents for part in plan.parts)
    return True


def _counts(plan: Written, part: Part) -> str | None:
    declared = plan.task.domain.declaration.slots
    return next(one.offer.units for one in declared if one.id == part.slot)


def _spoil_same(parts: list[Part], subject: Subject, rng: random.Random) -> bool:
    now = parts[0].row[subject.field]
    parts[-1].row[subject.field] = rng.choice([one for one in subject.known if one != now])
    return True


def _shifted(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days)).isoformat()


# How values are written.


@dataclass
class Style:
    """One agent's way of writing values."""

    rng: random.Random
    dates: int = 0
    clocks: int = 0
    dollars: str = "${}"
    long: bool = True

    @classmethod
    def drawn(cls, rng: random.Random) -> "Style":
        return cls(
            rng,
            rng.randrange(6),
            rng.randrange(4),
            rng.choice(("${}", "${}", "${}", "{} USD", "{}")),
            rng.random() < 0.5,
        )

    def day(self, iso: str) -> str:
        one = date.fromisoformat(iso)
        month, weekday = MONTHS[one.month - 1], _DAYS[one.weekday()]
        return (
            f"{one.day} {month} {one.year}",
            f"{month} {one.day}, {one.year}",
            iso,
            f"{weekday[:3]}, {month[:3]} {one.day}",
            f"{one.day} {month}",
            f"{weekday}, {one.day} {month[:3]} {one.year}",
        )[self.dates]

    def clock(self, minute: int) -> str:
        hour, rest = divmod(minute, 60)
        half = "AM" if hour < 12 else "PM"
        twelve = (hour - 1) % 12 + 1
        return (
            f"{hour:02}:{rest:02}",
            f"{twelve}:{rest:02} {half}",
            f"{twelve}:{rest:02}{half.lower()}",
            f"{hour:02}:{rest:02}",
        )[self.clocks]

    def money(self, cents: int) -> str:
        return self.dollars.format(f"{cents // 100:,}.{cents % 100:02}")

    def span(self, first: int, last: int) -> str:
        a, b = self.clock(first), self.clock(last)
        return self.rng.choice((f"{a}–{b}", f"{a} → {b}", f"{a} to {b}", f"{a} - {b}", f"{a}"))


def when(part: Part, style: Style) -> tuple[str, str]:
    """Return the day and the time of a part in words; empty where it has none."""
    row = part.row
    column = next((name for name in ("date", "departure_date", "start") if name in row), None)
    day = style.day(row[column]) if column else ""
    if part.days:
        day = f"{style.day(part.days[0])} to {style.day(part.days[1])}"
    minutes = [row[name] for name in row if name.endswith("minute")]
    if row.get("time_of_day") == "all-day":
        return day, "all day"
    if len(minutes) > 1:
        return day, style.span(*minutes[:2])
    return day, style.clock(minutes[0]) if minutes else ""


def labelled(part: Part, style: Style) -> list[tuple[str, str]]:
    """Return the properties of a part beside id, name, time and price, with their names."""
    found = []
    is_wrong = part.row.get("is_wrong_place", False)
    if "origin" in part.row and (is_wrong or style.rng.random() < 0.4):
        found.append(("Route", route(part)))
    for name, value in part.row.items():
        hidden = any(one in name for one in _HIDDEN) or "minute" in name or "cents" in name
        if hidden or name in {"name", "date", "departure_date", "start", "time_of_day", "ready"}:
            continue
        if name in {"origin", "destination", "city", "plans", "category"}:
            continue
        shown = {"carrier": "Airline", "stars": "Stars", "every": "Days between"}.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            found.append((shown or spoken(name).capitalize(), str(value)))
    if "city" in part.row and (is_wrong or style.rng.random() < 0.3):
        found.append(("City", str(part.row["city"])))
    return found


def bare(part: Part, style: Style) -> list[str]:
    """Return the same without names, as people write them."""
    words = {
        "stars": ("{} stars", "{}-star", "{}★"),
        "room_type": ("{} room", "{}"),
        "bed_type": ("{} bed", "{}", "with a {} bed"),
        "seat_type": ("{}", "{} class"),
        "seat_position": ("{} seats", "{}", "{} seat"),
        "every": ("every {} days",),
        "focus": ("for the {}",),
        "district": ("{}", "in {}"),
    }
    found = []
    for label, value in labelled(part, style):
        name = {"Airline": "carrier", "Stars": "stars", "Days between": "every"}.get(label)
        name = name or label.lower().replace(" ", "_")
        form = style.rng.choice(words.get(name, ("{}",)))
        if name == "specialty" and part.slot == "gp":
            continue
        found.append("1 star" if (name, value) == ("stars", "1") else form.format(value))
    return found


def who(plan: Written, part: Part) -> str:
    """Return `for 3 passengers` or the like."""
    if part.units == 1 and part.unit != "night":
        return ""
    return f" for {part.units} {plural(part.unit)}" if part.units > 1 else f" for 1 {part.unit}"


def price(plan: Written, part: Part, style: Style) -> str:
    """Return the price of a part in words."""
    each = style.money(part.row["price_cents"])
    if part.units == 1:
        return f"{each} per {part.unit}" if part.unit == "night" else each
    return f"{each} per {part.unit}, {style.money(part.cents)}{who(plan, part)}"


def route(part: Part) -> str:
    """Return `Milwaukee → Boston` where a part leads somewhere."""
    row = part.row
    return f"{row['origin']} → {row['destination']}" if "origin" in row else ""


def called(part: Part) -> str:
    """Return the name with the id, or the id."""
    return f"{part.row['name']} ({part.item})" if part.row.get("name") else part.item


def title(part: Part, rng: random.Random, *, short: bool = False) -> str:
    """Return a usual heading for a slot."""
    words = {
        "outbound": ("Outbound flight", "Outbound", "Departing flight", "Flight out"),
        "return": ("Return flight", "Return", "Inbound flight", "Flight back"),
        "hotel": ("Hotel", "Hotel stay", "Accommodation", "Your hotel"),
        "attraction": ("Attraction", "Activity", "Your attraction", "Sightseeing"),
        "gp": ("GP appointment", "GP", "GP visit"),
        "lab": ("Lab test", "Lab", "Test"),
        "specialist": ("Specialist", "Specialist consultation", "Consultation"),
        "physio": ("Physiotherapy", "Physio course", "Physiotherapy course"),
    }.get(part.slot, (part.title.capitalize(),))
    return words[1] if short and len(words) > 1 else rng.choice(words)


ASKS = (
    "Shall I book all of this?",
    "Do you approve this plan?",
    "May I go ahead and book everything?",
    "Would you like me to book it?",
    "Please confirm and I will book the lot.",
)


def ending(plan: Written, style: Style, *, total: bool = True) -> str:
    """Return the total, for whom it is, and the question."""
    rng = style.rng
    said = []
    if total:
        cue = rng.choice(("Total", "Trip total", "Grand total", "Total for everything"))
        cue = cue if plan.task.domain.name == "travel" else cue.replace("Trip t", "T")
        said.append(f"{cue}: {style.money(plan.total)}.")
    if plan.names and (plan.wrong == "traveller_names" or rng.random() < 0.3):
        said.append(f"Travellers: {', '.join(plan.names)}.")
    said.append(rng.choice(ASKS))
    return " ".join(said)


def line(plan: Written, part: Part, style: Style) -> str:
    """Return all details of a part on one line, without its heading."""
    day, time = when(part, style)
    pieces = [called(part), *bare(part, style), " ".join(filter(None, (day, time)))]
    return ", ".join(filter(None, pieces)) + f": {price(plan, part, style)}"


Layout = Callable[[Written, Style], list[str]]
LAYOUTS: dict[str, Layout] = {}
HELD_OUT: dict[str, Layout] = {}


def layout(function: Layout) -> Layout:
    LAYOUTS[function.__name__] = function
    return function


def held_out(function: Layout) -> Layout:
    HELD_OUT[function.__name__] = function
    return function


@layout
def bullets(plan: Written, style: Style) -> list[str]:
    mark = style.rng.choice(("- ", "* ", "• "))
    rows = [f"{mark}{title(p, style.rng)}: {line(plan, p, style)}" for p in plan.parts]
    return ["Here is a plan that fits:\n\n" + "\n".join(rows) + "\n\n" + ending(plan, style)]


@layout
def headings(plan: Written, style: Style) -> list[str]:
    blocks = []
    for part in plan.parts:
        day, time = when(part, style)
        rows = [f"- **{called(part)}**"]
        rows += [f"- {label}: {value}" for label, value in labelled(part, style)]
        rows += [f"- Date: {day}"] if day else []
        rows += [f"- Time: {time}"] if time else []
        rows += [f"- Price: {price(plan, part, style)}"]
        blocks.append(f"### {title(part, style.rng)}\n" + "\n".join(rows))
    return ["\n\n".join(["I found this:", *blocks, ending(plan, style)])]


@layout
def nested(plan: Written, style: Style) -> list[str]:
    blocks = []
    for number, part in enumerate(plan.parts, 1):
        day, time = when(part, style)
        mark = style.rng.choice((f"{number}. ", "- "))
        rows = [f"{mark}**{title(part, style.rng)}**", f"   - {called(part)}"]
        rows += [f"   - {one}" for one in bare(part, style)]
        rows += [f"   - {' at '.join(filter(None, (day, time)))}"] if day or time else []
        rows.append(f"   - {price(plan, part, style)}")
        blocks.append("\n".join(rows))
    return ["\n".join(["This is what I suggest:", "", *blocks, "", ending(plan, style)])]


@layout
def deep(plan: Written, style: Style) -> list[str]:
    rows = ["- Your booking"]
    for part in plan.parts:
        day, time = when(part, style)
        rows.append(f"  - {title(part, style.rng)}:")
        rows.append(f"    - Booking reference: {part.item}")
        rows += [f"    - Name: {part.row['name']}"] if part.row.get("name") else []
        rows.append("    - Details")
        rows += [f"      - {label}: {value}" for label, value in labelled(part, style)]
        rows += [f"      - When: {' '.join(filter(None, (day, time)))}"]
        rows.append(f"    - Cost: {price(plan, part, style)}")
    return ["\n".join([*rows, "", ending(plan, style)])]


@layout
def table(plan: Written, style: Style) -> list[str]:
    rows = ["| Part | What | When | Details | Price |", "|---|---|---|---|---|"]
    for part in plan.parts:
        day, time = when(part, style)
        cells = (
            f"**{title(part, style.rng)}**",
            called(part),
            ", ".join(filter(None, (day, time))),
            ", ".join(bare(part, style)),
            price(plan, part, style),
        )
        rows.append("| " + " | ".join(cells) + " |")
    rows.append(f"| **Total** | | | | **{style.money(plan.total)}** |")
    return ["\n".join(["Here it is:", "", *rows, "", ending(plan, style, total=False)])]


@layout
def columns(plan: Written, style: Style) -> list[str]:
    heads = [title(part, style.rng) for part in plan.parts]
    labels: list[str] = []
    values = []
    for part in plan.parts:
        day, time = when(part, style)
        own = dict([("Choice", called(part)), *labelled(part, style), ("Date", day)])
        own |= {"Time": time, "Price": price(plan, part, style)}
        labels += [label for label in own if label not in labels]
        values.append(own)
    rows = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for label in labels:
        cells = [own.get(label) or "–" for own in values]
        rows.append(f"| {label} | " + " | ".join(cells) + " |")
    return ["\n".join([*rows, "", ending(plan, style)])]


@layout
def prose(plan: Written, style: Style) -> list[str]:
    verbs = {
        "outbound": "You would fly out on",
        "return": "You would return on",
        "hotel": "You would stay at",
        "attraction": "You would visit the attraction",
        "gp": "You would see the GP,",
        "lab": "The lab test would be",
        "specialist": "The specialist would be",
        "physio": "The physiotherapy would be",
    }
    said = []
    for part in plan.parts:
        day, time = when(part, style)
        pieces = [f"{verbs.get(part.slot, part.title.capitalize() + ':')} {called(part)}"]
        pieces += bare(part, style)
        pieces += [f"on {day}"] if day and not part.days else [f"from {day}"] if day else []
        pieces += [f"at {time}"] if time else []
        said.append(", ".join(pieces) + f", for {price(plan, part, style)}.")
    return [" ".join(["I would propose the following.", *said, ending(plan, style)])]


@layout
def chatty(plan: Written, style: Style) -> list[str]:
    said = []
    for number, part in enumerate(plan.parts):
        day, time = when(part, style)
        lead = ("For the {}, I'd take {}.", "The {} would be {}.", "Then for the {}: {}.")
        name = title(part, style.rng).lower()
        words = bare(part, style)
        said.append(style.rng.choice(lead).format(name, called(part)))
        said.append(f"It's {', '.join(words)}." if words else "")
        said.append(f"That's {day}{f' at {time}' if time else ''}." if day else "")
        said.append(f"It costs {price(plan, part, style)}.")
        said.append("\n\n" if number % 2 else "")
    return [" ".join(filter(None, said)) + "\n" + ending(plan, style)]


@layout
def bold(plan: Written, style: Style) -> list[str]:
    blocks = []
    for part in plan.parts:
        day, time = when(part, style)
        rows = [f"**{title(part, style.rng)}**", called(part), ", ".join(bare(part, style))]
        rows += [" ".join(filter(None, (day, time)))]
        rows += [price(plan, part, style)]
        blocks.append("\n".join(filter(None, rows)))
    return ["\n\n".join([*blocks, ending(plan, style)])]


@layout
def numbered(plan: Written, style: Style) -> list[str]:
    rows = [f"{n}. {line(plan, part, style)}" for n, part in enumerate(plan.parts, 1)]
    return ["My proposal:\n" + "\n".join(rows) + "\n\n" + ending(plan, style)]


@layout
def two_messages(plan: Written, style: Style) -> list[str]:
    rows = [f"- {title(p, style.rng)}: {line(plan, p, style)}" for p in plan.parts]
    ids = ", ".join(part.item for part in plan.parts)
    first = "I have found the following:\n" + "\n".join(rows) + "\nIs there anything else?"
    whom = f" for {' and '.join(plan.names)}" if plan.wrong == "traveller_names" else ""
    return [first, f"So that is {ids}{whom}, {style.money(plan.total)} in total. Shall I book it?"]


@layout
def part_by_part(plan: Written, style: Style) -> list[str]:
    half = len(plan.parts) // 2
    texts = []
    for parts in (plan.parts[:half], plan.parts[half:]):
        rows = [f"- {title(p, style.rng)}: {line(plan, p, style)}" for p in parts]
        texts.append("Next part:\n" + "\n".join(rows))
    texts[1] += f"\n\n{ending(plan, style)}"
    return texts


@held_out
def key_values(plan: Written, style: Style) -> list[str]:
    blocks = []
    for part in plan.parts:
        day, time = when(part, style)
        rows = [title(part, style.rng).upper(), f"Reference: {called(part)}"]
        rows += [f"{label}: {value}" for label, value in labelled(part, style)]
        rows += [f"Date: {day}"] if day else []
        rows += [f"Starts: {time}"] if time else []
        rows += [f"Price: {price(plan, part, style)}"]
        blocks.append("\n".join(rows))
    return ["\n\n".join([*blocks, ending(plan, style)])]


@held_out
def small_tables(plan: Written, style: Style) -> list[str]:
    blocks = []
    for part in plan.parts:
        day, time = when(part, style)
        pairs = [("Choice", called(part)), *labelled(part, style), ("Date", day), ("Time", time)]
        rows = [f"| {label} | {value} |" for label, value in pairs if value]
        rows.insert(1, "|---|---|")
        rows.append(f"| Price | {price(plan, part, style)} |")
        blocks.append(f"## {title(part, style.rng)}\n" + "\n".join(rows))
    return ["\n\n".join([*blocks, ending(plan, style)])]


@held_out
def dots(plan: Written, style: Style) -> list[str]:
    icons = ("✈️", "🛬", "🏨", "🎟️", "📍")
    rows = []
    for icon, part in zip(icons, plan.parts, strict=False):
        day, time = when(part, style)
        pieces = [called(part), day, time, *bare(part, style), price(plan, part, style)]
        rows.append(f"{icon} {title(part, style.rng)} · " + " · ".join(filter(None, pieces)))
    return ["\n".join([*rows, "", ending(plan, style)])]


@held_out
def by_day(plan: Written, style: Style) -> list[str]:
    rows = []
    for part in sorted(plan.parts, key=lambda p: (when(p, Style(style.rng, 2))[0], p.slot)):
        day, time = when(part, style)
        pieces = [f"{title(part, style.rng).lower()} {called(part)}", *bare(part, style)]
        pieces += [f"starting {time}"] if time else []
        rows.append(f"**{day}** – {', '.join(pieces)} ({price(plan, part, style)})")
    return ["Day by day:\n\n" + "\n".join(rows) + "\n\n" + ending(plan, style)]


@held_out
def letter(plan: Written, style: Style) -> list[str]:
    said = []
    for part in plan.parts:
        day, time = when(part, style)
        about = ", ".join(bare(part, style))
        moment = " at ".join(filter(None, (day, time)))
        said.append(
            f"{title(part, style.rng).lower()} {called(part)} ({about}) on {moment},"
            f" {price(plan, part, style)}"
        )
    return [f"Dear customer, I can offer: {'; '.join(said)}. {ending(plan, style)}"]


@held_out
def yaml(plan: Written, style: Style) -> list[str]:
    rows = ["```yaml"]
    for part in plan.parts:
        day, time = when(part, style)
        rows.append(f"{part.slot}:")
        rows.append(f"  id: {part.item}")
        rows += [f"  name: {part.row['name']}"] if part.row.get("name") else []
        rows += [f"  {label.lower().replace(' ', '_')}: {v}" for label, v in labelled(part, style)]
        rows += [f"  date: {day}"] if day else []
        rows += [f"  time: {time}"] if time else []
        rows.append(f"  price: {price(plan, part, style)}")
    rows += [f"total: {style.money(plan.total)}", "```"]
    return ["\n".join([*rows, ending(plan, style, total=False)])]


def held_days(task: Task) -> bool:
    """Tell whether a domain books anything by the day."""
    return any(isinstance(slot.offer.holds, Stay) for slot in task.domain.declaration.slots)
