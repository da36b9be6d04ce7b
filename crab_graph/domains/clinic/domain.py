"""The clinic domain: a GP visit, a lab test, a specialist and a course of physiotherapy.

One table serves two slots, the parts come in an order with gaps, the course is several appointments
of which the last one counts too, and an insurance plan is one of several that a practice takes.
"""

import crab_graph.domain as cd

GP = "general practice"
SPECIALTIES = ("cardiology", "orthopedics", "neurology", "dermatology")
PANELS = {"blood panel": 40, "imaging": 120, "cardiac stress test": 80}
FOCI = {"back": 25, "knee": 30, "shoulder": 35}
LANGUAGES = ("English", "Spanish", "Mandarin", "Arabic")
PARTS = ("morning", "afternoon", "evening")

DISTRICT = cd.Choice(("Riverside", "Old Town", "Harbour", "Hillcrest", "Parkside", "Westgate"))
PRACTICE = cd.Choice(("Northgate Partners", "Lakeview Health", "Cedar Medical", "Summit Care"))
PLANS = cd.Several(("BlueShield", "Medicore", "UniCare", "Healthwise"), most=2)
HOURS = {"morning": (480, 720), "afternoon": (780, 1020), "evening": (1020, 1200)}
TIME_OF_DAY = cd.Choice(PARTS, hours=HOURS)


def _clock(*per: str) -> cd.Clock:
    """Return when something begins: what shares some fields and its price begins alike."""
    return cd.Clock("time_of_day", HOURS, per=(*per, cd.LEVEL), column="minute", shown="starts")


APPOINTMENT = cd.Offer(
    "appointment",
    "AP",
    {
        "specialty": cd.Choice((GP, *SPECIALTIES)),
        "language": cd.Choice(LANGUAGES),
        "district": DISTRICT,
        "practice": PRACTICE,
        "plans": PLANS,
        "date": cd.Day(),
        "time_of_day": TIME_OF_DAY,
        "clock": _clock("specialty", "language", "practice"),
        "price": cd.Price({GP: 35, **dict.fromkeys(SPECIALTIES, 90)}, "specialty"),
    },
    provider=cd.Provider(
        "doctor",
        "DR",
        ("specialty", "language", "practice", cd.LEVEL),
        names=cd.Names("Dr. {person}"),
    ),
    always={
        "GPs do not work in the evening": lambda one: (
            (one.specialty != GP) | (one.time_of_day != "evening")
        )
    },
    unit="visit",
    words=("doctor", "appointment", "visit"),
    # A doctor is in one place at a time.
    incidental=("district", "plans"),
    tools=cd.Tools(search="search_doctors", look="search_appointments", needs=("specialty",)),
)
TEST = cd.Offer(
    "test",
    "LB",
    {
        "panel": cd.Choice(tuple(PANELS)),
        "district": DISTRICT,
        "plans": PLANS,
        "date": cd.Day(),
        "time_of_day": TIME_OF_DAY,
        "clock": _clock("panel", "district"),
        "turnaround": cd.Choice((1, 2, 3)),
        "ready": cd.Later("date", "turnaround"),
        "price": cd.Price(PANELS, "panel"),
    },
    always={
        "imaging takes more than a day": lambda one: (one.panel != "imaging") | (one.turnaround > 1)
    },
    tools=cd.Tools(needs=("panel",)),
)
COURSE = cd.Offer(
    "course",
    "PH",
    {
        "focus": cd.Choice(tuple(FOCI)),
        "district": DISTRICT,
        "practice": PRACTICE,
        "plans": PLANS,
        "start": cd.Day(),
        "every": cd.Choice((1, 2, 3), shown="days_between_sessions"),
        "time_of_day": TIME_OF_DAY,
        "clock": _clock("focus", "practice"),
        "capacity": cd.Capacity((2, 4, 6, 8, 10)),
        "price": cd.Price(FOCI, "focus"),
    },
    holds=cd.Count("sessions"),
    unit="session",
    units="sessions",
    words=("course", "physiotherapy", "physio"),
)

SLOTS = (
    cd.Slot(
        "gp",
        APPOINTMENT,
        "GP appointment",
        ("gp", "general practitioner", "family doctor"),
        role={"specialty": GP},
    ),
    cd.Slot(
        "lab",
        TEST,
        "lab test",
        ("lab", "laboratory", "test", "blood work", "bloodwork", "bloods", "scan"),
    ),
    cd.Slot(
        "specialist",
        APPOINTMENT,
        "specialist consultation",
        ("specialist", "consultation", "consultant"),
    ),
    cd.Slot(
        "physio",
        COURSE,
        "physiotherapy course",
        ("physio", "physiotherapy", "course", "physical therapy"),
    ),
)


def _at(slot: str, values: tuple[str, ...] = PARTS, odds: float = 0.4) -> cd.Want:
    """Return the wish for a time of day of one part."""
    return cd.Want(f"{slot}_time_of_day", values, (f"{slot}.time_of_day",), odds=odds)


_WITHIN = cd.Wording(
    "The specialist should see me within {value} of the GP appointment.",
    "Specialist within {value} of the GP.",
    ask=(
        r"\bhow (?:soon|quickly|long after|many days)\b(?!.{0,40}\b(?:results?|sessions?|apart)\b)"
        r"|\bwithin (?:how|what)\b(?!.{0,40}\bresults?\b)|\bdeadline\b"
        r"|\b\d+ days? (?:after|from|of)\b[^?,;]{0,30},? or \d+\b"
        r"|\b(?:at most|up to|within) \w+(?: days)?(?: (?:after|from|of)\b[^?,;]{0,30})?,?"
        r" or (?:(?:at most|up to|within) )?\w+\b"
        r"(?! (?:sessions?|visits?)\b)"
        r"|\b(?:within|the|those|that|your) \d+ days?\b[^?]{0,40}\b(?:holds?|keep\w*|stick|stands?"
        r"|still|in|drop\w*|go(?:ne)?|stays?|firm)\b"
        r"|\b(?:keep\w*|stick(?:ing)? (?:to|with)|drop\w*|let(?:ting)? go of)\b[^?,;]{0,20}"
        r"\b\d+ days?\b"
        r"|\bno (?:more|later) than \d+ days?\b[^?]{0,30}\b(?:keep|drop|or)\b"
    ),
    unit=("1 day", "{n} days"),
)
_PLAN = cd.Wording(
    "My insurance is {value}.",
    "Insurance: {value}.",
    ask=(
        r"\binsur\w*\b|\b(?:which|what|health) plan\b|\bcover(?:ed|age|s)\b"
        r"|\bparts?\b[^.;?]{0,20}\b(?:must|should|need to|has to|have to) (?:take|accept)\b"
    ),
)
_FOCUS = cd.Wording(
    "The physiotherapy is for the {value}.",
    "Physio for the {value}.",
    # What is said or played back is no part of the body.
    cues={
        "back": (
            r"(?<!say )(?<!play[ -])(?<!read[ -])(?<!get )(?<!come )(?<!go )(?<!me )(?<!it )"
            r"(?<!them )(?<!that )(?<!this )(?<!all )(?<!everything )(?<!wishes )\bback\b"
        )
    },
)

_BODY = (
    r"\b(?:body (?:part|area|region)s?|part of (?:the|your) body"
    r"|areas? (?:to be|to|that|of concern)|what hurts|physio (?:area|for)\W*$)"
)
_GROUP = r"\b(?:same|one|preferred|provider) (?:group|provider|clinic|network|team|roof)s?\b"

_TAKES_IT = r"\b(?:take|accept|honou?r)s? (?:it|that|this|your (?:plan|insurance|cover\w*))\b"
_READY = (
    r"\bturn-?around\b|\bresults?\b[^.;?]{0,30}\b(?:in time|within|by when|how|when|soon|quick\w*"
    r"|fast|speed|days|date|deadline)\b|\b(?:how|when|soon|quick\w*|fast|speed|by when"
    r"|days)\b[^.;?]{0,40}\bresults?\b"
)
_APART = (
    r"\b(?:spacing|spaced|rhythm|frequency|interval|gap|how often|every how many|how far apart)\b"
    r"|\bdays?\b.{0,20}\b(?:apart|between)\b|\bevery (?:\d|one|two|other|second)\b.{0,20}\bdays?\b"
)

_SEEN, _ALL = ("gp", "specialist"), ("gp", "lab", "specialist", "physio")
WANTS = (
    cd.Want("specialty", SPECIALTIES, ("specialist.specialty",), basic=True, role=True),
    cd.Want("panel", tuple(PANELS), ("lab.panel",), basic=True),
    cd.Want("sessions", (3, 4, 5, 6), basic=True),
    cd.Want("within", (4, 5, 6, 7), basic=True, wording=_WITHIN),
    cd.Want("plan", PLANS.values, [f"{slot}.plans" for slot in _ALL], wording=_PLAN),
    cd.Want("language", LANGUAGES[1:], [f"{slot}.language" for slot in _SEEN], odds=0.1),
    cd.Want("physio_focus", tuple(FOCI), ("physio.focus",), odds=0.7, wording=_FOCUS),
    _at("gp", PARTS[:2], odds=0.2),
    _at("lab"),
    _at("specialist", odds=0.25),
    _at("physio"),
)

_ELSE = (
    r"\bor\b|\belse\b|\botherwise\b|\b(?:only if|if (?:there(?:.s| is| are)|i find) (?:none|no)\b"
    r"|failing (?:that|which)|if not|second choice|fallback)"
)
_EITHER = cd.Wording(
    (
        "The lab test should be {phrase} or in the district of the GP, either is equally welcome.",
        "I want the lab test {phrase} or in the same district as the GP, one is as good as the "
        "other.",
    ),
    "Lab test {phrase} or in the GP's district, either will do.",
    phrases={part: f"in the {part}" for part in PARTS},
    ask=r"\b(?:lab|test|scan)\b.{0,40}\b(?:district|area|near)\b.{0,20}\bor\b",
    parts={part: (rf"\b{part}s?\b", _ELSE, r"\b(?:district|area)s?\b") for part in PARTS},
    about=(
        r"\bdistricts?\b|\b(?:lab|test|scan|blood\w*)\b[^.;\n]{0,24}"
        r"\b(?:mornings?|afternoons?|evenings?)\b"
    ),
    clarify=(
        r"\b(?:prefer\w*|first|fallback|failing that|or else|equally|both|either|ranked|matters)\b"
        r".*\b(?:district|mornings?|afternoons?|evenings?)\b",
        r"\b(?:district|mornings?|afternoons?|evenings?)\b.*"
        r"\b(?:prefer\w*|first|fallback|failing that|equally|both|either|ranked|or the district)\b",
    ),
)
_UNLESS = cd.Wording(
    (
        "The specialist should speak {value}, unless that breaks the budget.",
        "I want a specialist who speaks {value}, or any other only if none of these fits the "
        "budget.",
    ),
    "Specialist: {value}, unless that breaks the budget.",
    ask=r"\blanguages?\b.{0,40}\bbudget\b",
    parts={
        one: (
            rf"\b{one.casefold()}\b",
            r"\b(?:unless|except|if|when|where|as long as|provided|only|within|allows|permits)\b",
            r"\bbudget\b|\b(?:under|within|over|above|past) (?:your )?\$\d|\b(?:money|limit)\b",
        )
        for one in LANGUAGES[1:]
    },
    about=rf"\b(?:{'|'.join(LANGUAGES[1:]).casefold()})\b",
    clarify=(
        r"\b(?:break\w*|over|bust\w*|beyond|exceed\w*) (?:the|your) budget\b",
        rf"\b(?:{'|'.join(LANGUAGES[1:]).casefold()}|language)\b.*"
        r"\b(?:budget|must|hard|priority|stretch|firm|strict|else|another|other|any)\b",
        r"\b(?:budget|must|hard|priority|stretch|any other|another)\b.*"
        rf"\b(?:{'|'.join(LANGUAGES[1:]).casefold()}|language)\b",
    ),
)

RULES = (
    cd.Rule(
        "test_after_gp",
        lambda lab, gp: lab.date >= gp.date,
        "the lab test is on the day of the GP appointment, at any hour, or on a later day",
    ),
    cd.Rule(
        "results_before_consultation",
        lambda specialist, lab: specialist.date >= lab.ready,
        "the results are ready by the day of the consultation",
    ),
    cd.Rule(
        "consultation_within",
        lambda specialist, gp, r: specialist.date <= gp.date + r.within,
        "the consultation is at most {r.within} days after the GP appointment",
    ),
    cd.Rule(
        "physio_after_consultation",
        lambda physio, specialist: physio.start > specialist.date,
        "the physiotherapy starts after the day of the consultation",
    ),
    cd.Rule(
        "course_ends_in_time",
        lambda physio, gp, r: physio.start + physio.every * (r.sessions - 1) <= gp.date + 21,
        "the last session is at most 21 days after the GP appointment",
    ),
    cd.Rule(
        "same_practice",
        lambda specialist, physio: specialist.practice == physio.practice,
        "specialist and physiotherapy are of one provider group",
        odds=0.6,
    ),
    cd.Rule(
        "same_district",
        lambda lab, gp: lab.district == gp.district,
        "lab test and GP are in one district",
        odds=0.6,
    ),
    cd.Rule(
        "lab_either",
        lambda lab, gp, r: (lab.time_of_day == r.lab_either) | (lab.district == gp.district),
        "the lab test is in the {r.lab_either}, or in the district of the GP",
        title="lab test at the time wished, or near the GP",
        wording=_EITHER,
        joint=True,
        values=PARTS,
        instead=("lab_time_of_day", "same_district"),
    ),
    cd.Rule(
        "language_unless",
        lambda specialist, r: specialist.language == r.language_unless,
        "the specialist speaks {r.language_unless}, unless that breaks the budget",
        title="language of the specialist, unless it breaks the budget",
        wording=_UNLESS,
        joint=True,
        values=LANGUAGES[1:],
        instead=("language",),
        unless="total_budget",
    ),
)

# Beside a solution stands no other valid GP or lab test of its district. A fixed day leaves hardly
# anything else that ties the GP to the rest; where other days do, one district is asked for less.
_BUDGET, _PRACTICE, _DISTRICT = "total_budget", "same_practice", "same_district"
FLEXIBLE = {
    (_BUDGET, _PRACTICE, _DISTRICT): 0.11,
    (_BUDGET, _DISTRICT): 0.07,
    (_PRACTICE, _DISTRICT): 0.07,
    (_BUDGET, _PRACTICE): 0.27,
    (_BUDGET,): 0.18,
    (_PRACTICE,): 0.18,
    (): 0.12,
}

_FULL = (
    "I need to see a GP {gp_date}, then have a lab test ({panel}), then a specialist in "
    "{specialty} within {within} of the GP appointment, and after that {sessions} of physiotherapy."
)
_SHORT = "GP {gp_date}, {panel}, {specialty} specialist within {within}, {sessions} of physio."

CLINIC = cd.build(
    cd.Declaration(
        name="clinic",
        version=5,
        reads=(1, 2, 3, 4),
        job="pathway",
        whole=("plan",),
        intro="You book care pathways: GP appointment, lab test, specialist and physiotherapy.",
        slots=SLOTS,
        wants=WANTS,
        rules=RULES,
        window=cd.Window("gp_date", "gp.date", axis=cd.Axis("dates", "", ("fixed", "flexible"))),
        budget=cd.Budget(),
        optional_odds={"flexible": FLEXIBLE},
        horizon=((-2,), (16, "within")),
        opening=_FULL,
        opening_short=_SHORT,
        nobody=("specialists?", "consultants?", r"\w+ologists?"),
        lexicon={
            "facts": {
                "physio_focus": {"asks+": [_BODY]},
                "same_practice": {"asks+": [_GROUP]},
                "plan": {"asks+": [_TAKES_IT]},
            },
            "unwished": {
                "turnaround": {"asks": [_READY], "none": ["The results can take as long as fits."]},
                "every": {"asks": [_APART], "none": ["The sessions can be any days apart."]},
                # A plan is what the insurance has.
                "pick": {"none": ["Any pathway that fits will do."]},
            },
        },
        amenities=("parking", "prescriptions?", "medication", "reminders?", "follow-ups?"),
    )
)
