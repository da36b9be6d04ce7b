"""Who else is in the books: the user, their cards, other customers and what these booked before.

What earlier bookings hold is no longer counted as available, and an earlier stay ends on the day
from which its offer can be had: none stands in the way of a solution.
"""

from collections.abc import Mapping, Sequence
from random import Random

from crab_graph.dates import day_number, iso_date
from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.contract import Draft, Inventory
from crab_graph.domain.declaration import Count, Each, Holding, Offer, Stay
from crab_graph.domain.invented import (
    birth_date,
    drawn_card,
    email_of,
    person_names,
    phone_number,
    street_address,
)
from crab_graph.domain.layout import column_of, people_column
from crab_graph.domain.request_types import Profile, ProfilePerson
from crab_graph.randomness import derive_id, derive_rng
from crab_graph.tools.bookings import BookingStatus, TransactionKind
from crab_graph.tools.tables import Row, picked

OTHERS = 5
"""Number of other customers, and of what each kind has to offer to them."""

_CARDS, _EACH = 3, 2
"""Number of the user's cards, and of earlier bookings of each other customer."""

Tables = dict[str, list[Row]]


def people_of(
    blueprint: Blueprint, draft: Draft, offers: Inventory, totals: Sequence[int], seed: int
) -> Mapping[str, list[Row]]:
    """Return customers, payment methods, earlier bookings, and the user's private cards.

    Where something is to be paid, one card of the user's alone covers the budget, or the dearest
    solution where there is none (paper section 3.2.4); the others cover no solution. `totals` are
    the solutions' costs in cents.
    """
    tables: Tables = {
        table.name: [] for table in blueprint.tables if table.name not in offers.tables
    }
    profile: Profile = draft.profile
    rng = derive_rng(seed, "wallet")
    tables["customers"].append(_customer(rng, profile.customer_id, profile.people[0]))
    if profile.payment_card is not None:
        budget = getattr(draft.request, "budget_cents", None)
        own = profile.payment_card.model_dump()
        cards = _cards(rng, own, max(budget or 0, *totals), min(totals))
        tables["cards"] = cards
        known = rng.choice([None, None, cards[0], cards[1]])
        if known is not None:
            method = _method(profile.customer_id, known, draft.today)
            tables["payment_methods"].append(method)
    _add_others(tables, blueprint, draft, offers, derive_rng(seed, "other customers"))
    return tables


def _cards(rng: Random, own: Row, need: int, least: int) -> list[Row]:
    """Return the user's cards by id: their own covers what is needed, the others not the least."""
    high = -(-int(need * rng.uniform(1.1, 1.6)) // 10000) * 10000
    cards = [{**own, "limit_cents": high, "is_default": False}]
    step = max(cents for cents in (1, 100, 1000, 5000) if cents == 1 or cents * 4 <= least)
    while len(cards) < _CARDS:
        card_id = f"CD-{rng.randrange(1000, 10000)}"
        if card_id in {card["card_id"] for card in cards}:
            continue
        card = drawn_card(rng, card_id)
        low = int(least * rng.uniform(0.25, 0.8)) // step * step
        cards.append({**card, "limit_cents": low, "is_default": False})
    rng.choice(cards)["is_default"] = True
    return sorted(cards, key=lambda card: str(card["card_id"]))


def _add_others(
    tables: Tables, blueprint: Blueprint, draft: Draft, offers: Inventory, rng: Random
) -> None:
    """Add other customers; kinds of bookings take turns over what they booked before."""
    profile: Profile = draft.profile
    taken = {person.name for person in profile.people}
    names = [name for name in person_names(rng, OTHERS + len(taken)) if name not in taken]
    numbers = rng.sample(range(10000, 99999), OTHERS + 1)
    ids = [f"CU-{number}" for number in numbers if f"CU-{number}" != profile.customer_id]
    kinds = tuple(blueprint.offers)
    rows = {name: offers.tables[kind.offer.name] for name, kind in blueprint.kinds.items()}
    stock = {name: rng.sample(found, min(OTHERS, len(found))) for name, found in rows.items()}
    for number, (name, customer_id) in enumerate(zip(names[:OTHERS], ids, strict=False)):
        person = ProfilePerson(name=name, date_of_birth=birth_date(rng))
        tables["customers"].append(_customer(rng, customer_id, person))
        method = None
        if not blueprint.declaration.is_free:
            card = drawn_card(rng, customer_id.replace("CU", "CD"))
            method = _method(customer_id, card, draft.today)
            tables["payment_methods"].append(method)
        for kind in dict.fromkeys(kinds[(number + turn) % len(kinds)] for turn in range(_EACH)):
            if stock[kind]:
                offer = stock[kind][number % len(stock[kind])]
                _add_booking(tables, blueprint, kind, offer, (customer_id, person, method), rng)


def _add_booking(
    tables: Tables,
    blueprint: Blueprint,
    name: str,
    row: Row,
    buyer: tuple[str, ProfilePerson, Row | None],
    rng: Random,
) -> None:
    """Add a booking of one unit, or of a few days, and what was charged for it."""
    kind, (customer_id, person, method) = blueprint.kinds[name], buyer
    held = _held(blueprint, blueprint.offers[name], row, person, rng)
    cents = 0 if kind.is_free else int(kind.price(row["price_cents"], kind.units(held)))
    booking_id = derive_id("BK", 8, "baseline", customer_id, name)
    tables["bookings"].append(
        {
            "booking_id": booking_id,
            "customer_id": customer_id,
            "kind": name,
            "entity_id": row[kind.entity.key],
            "status": BookingStatus.CONFIRMED.value,
            "total_cents": cents,
        }
    )
    key = next(table.key for table in blueprint.tables if table.name == kind.items)
    item = {key: f"{booking_id}/1", "booking_id": booking_id, **picked(row, kind.offer.key)}
    tables[kind.items].append({**item, **held})
    if method is not None and not kind.is_free:
        tables["transactions"].append(
            {
                "transaction_id": derive_id("TX", 8, "baseline", booking_id),
                "booking_id": booking_id,
                "customer_id": customer_id,
                "payment_method_id": method["payment_method_id"],
                "kind": TransactionKind.CHARGE.value,
                "amount_cents": cents,
            }
        )


def _held(blueprint: Blueprint, offer: Offer, row: Row, person: ProfilePerson, rng: Random) -> Row:
    """Return what an item says of its unit, or of its days, beside the ids."""
    holding: Holding = offer.holds
    match holding:
        case Each():
            return {holding.name: person.name, holding.birth_date: person.date_of_birth}
        case Count():
            return {holding.argument: 1}
        case Stay():
            last = row[column_of(offer, holding.opens)]
            first = iso_date(day_number(last) - rng.randint(1, 3))
            people = people_column(blueprint.declaration, offer)
            counted = {} if people is None else {people: 1}
            return {holding.first: first, holding.last: last, **counted}
    return {}


def _customer(rng: Random, customer_id: str, person: ProfilePerson) -> Row:
    return {
        "customer_id": customer_id,
        "name": person.name,
        "email": email_of(person.name),
        "phone": phone_number(rng),
        "address": street_address(rng),
        "date_of_birth": person.date_of_birth,
    }


def _method(customer_id: str, card: Row, today: str) -> Row:
    return {
        "payment_method_id": derive_id("PM", 8, "known", customer_id, card["card_id"], today),
        "customer_id": customer_id,
        **picked(card, "card_id", "brand", "last4"),
        "is_default": True,
    }
