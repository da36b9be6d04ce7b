"""No dates, and an axis of its own: a studio, a camera and a lamp for a film shoot."""

import crab_graph.domain as cd

FORMATS = ("digital", "film", "large format")
STYLE = cd.Choice(("bright", "dark", "natural"))

STUDIO = cd.Offer(
    "studio",
    "ST",
    {
        "set": cd.Choice(("kitchen", "office", "street", "none")),
        "light": STYLE,
        "metres": cd.Choice((80, 120, 160, 200)),
        "power": cd.Choice((15, 20, 25, 30, 40)),
        "extras": cd.Several(("make-up room", "green screen", "car park"), least=1, most=2),
        "price": cd.Price({80: 300, 120: 400, 160: 520, 200: 600}, by="metres"),
    },
    names=cd.Names("{person} Stage"),
)
CAMERA = cd.Offer(
    "camera",
    "CA",
    {
        "format": cd.Choice(FORMATS),
        "weight": cd.Choice((2, 4, 6, 9, 11, 13)),
        "draw": cd.Choice((5, 10, 15)),
        "mounts": cd.Several(("tripod", "crane", "drone", "shoulder"), least=1, most=3),
        "price": cd.Price({"digital": 80, "film": 120, "large format": 200}, by="format"),
    },
    provider=cd.Provider("house", "HO", ("format",), names=cd.Names("{family} & {family} Cameras")),
)
LAMP = cd.Offer(
    "lamp",
    "LA",
    {
        "light": STYLE,
        "draw": cd.Choice((5, 10, 15, 20)),
        "height": cd.Choice((1, 2, 3, 4, 5, 6)),
        "price": cd.Price({"bright": 40, "dark": 30, "natural": 60}, by="light"),
    },
)
SLOTS = (
    cd.Slot("studio", STUDIO, "studio"),
    cd.Slot("camera", CAMERA, "camera", words=("camera", "camera kit")),
    cd.Slot("lamp", LAMP, "lamp", words=("lamp", "light")),
)
DECLARATION = cd.Declaration(
    name="shoot",
    slots=SLOTS,
    wants=(
        cd.Want("set", ("kitchen", "office", "street"), on=("studio.set",), basic=True, role=True),
        cd.Want(
            "format", FORMATS, on=("camera.format",), basic=True, role=True, axis=cd.Axis("format")
        ),
        cd.Want("mount", ("tripod", "crane", "drone"), on=("camera.mounts",), odds=0.6),
        cd.Want("extra", ("make-up room", "green screen"), on=("studio.extras",), odds=0.5),
        cd.Want("weight", (4, 6), on=("camera.weight",), compare="at_most"),
        cd.Want("light", ("bright", "dark"), on=("studio.light",)),
        cd.Want("height", (3, 4), on=("lamp.height",), compare="at_least"),
    ),
    rules=(
        cd.Rule(
            "same_light",
            lambda studio, lamp: studio.light == lamp.light,
            "the lamp gives the light of the studio",
        ),
        cd.Rule(
            "power",
            lambda studio, lamp, camera: lamp.draw + camera.draw <= studio.power,
            "lamp and camera draw no more than the studio has",
        ),
        cd.Rule(
            "even_load",
            lambda lamp, camera: abs(lamp.draw - camera.draw) <= 5,
            "lamp and camera draw about the same",
            odds=0.5,
            wording=cd.Wording(
                "Lamp and camera should draw about the same.",
                "Even load.",
                ask=(r"\bdraw about the same\b", r"\beven load\b"),
            ),
        ),
    ),
    budget=cd.Budget(),
    opening="I need a studio whose set is {set}, a camera for {format} and a lamp.",
)
DOMAIN = cd.build(DECLARATION)
