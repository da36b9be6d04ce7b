"""What crab-graph brings along: a bill of materials, the licences, and known vulnerabilities.

    python -m tests.supply write    writes sbom.cdx.json and docs/licences.md; `make supply` does
    python -m tests.supply audit    asks for known vulnerabilities of all of it; `make audit` does

The bill (CycloneDX 1.6, in the sdist) lists what `pyproject.toml` declares, extras included, and
all that this brings along on Linux with Python 3.11, in the versions of `constraints.txt`.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
BILL, PAGE = ROOT / "sbom.cdx.json", ROOT / "docs" / "licences.md"
CORE = "core"
NAMESPACE = uuid.UUID("6f1c2c1e-5b1e-5c52-9a0e-0b8f0a6f9c11")
AUDITOR = ("-m", "pip_audit", "--no-deps", "--disable-pip", "--progress-spinner", "off")


@dataclass
class Package:
    """A package that crab-graph brings along.

    Attributes:
        parts: `core`, or the extras, that need it.
        needs: Names of what it needs itself.
    """

    name: str
    version: str
    licence: str
    parts: set[str] = field(default_factory=set)
    needs: set[str] = field(default_factory=set)

    @property
    def url(self) -> str:
        """Its package URL."""
        return f"pkg:pypi/{self.name}@{self.version}"


def project() -> dict[str, Any]:
    """Return the project's table of `pyproject.toml`."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def declared() -> dict[str, list[Requirement]]:
    """Return what is declared, by part."""
    table = project()
    parts = {CORE: table["dependencies"], **table["optional-dependencies"]}
    return {part: [Requirement(line) for line in lines] for part, lines in parts.items()}


def pinned() -> dict[str, str]:
    """Return the version of each package in `constraints.txt` that holds on this machine."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    found = (Requirement(line) for line in lines if line.strip() and not line.startswith("#"))
    here = [one for one in found if one.marker is None or one.marker.evaluate()]
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in here}


_FROM_CLASSIFIER = {
    "MIT License": "MIT",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "Python Software Foundation License": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "GNU Lesser General Public License v3 or later (LGPLv3+)": "LGPL-3.0-or-later",
    "The Unlicense (Unlicense)": "Unlicense",
}
"""Classifiers of packages that do not yet write a licence expression."""

_AS_WRITTEN = {
    "Apache 2.0": "Apache-2.0",
    "Apache License": "Apache-2.0",
    "MIT License, Apache License, Version 2.0": "MIT OR Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache-2": "Apache-2.0",
    "MIT License": "MIT",
    "The MIT License": "MIT",
    "BSD": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "new BSD": "BSD-3-Clause",
}


def licence_of(found: Distribution) -> str:
    """Return a package's licence as an SPDX expression, as its metadata tell it.

    Raises:
        ValueError: they do not tell it.
    """
    about: Any = found.metadata
    if expression := about.get("License-Expression"):
        return str(expression)
    classifiers = [one.rpartition(" :: ")[2] for one in about.get_all("Classifier") or ()]
    known = [_FROM_CLASSIFIER[one] for one in classifiers if one in _FROM_CLASSIFIER]
    files = (one for one in found.files or () if one.name.upper().startswith("LICENSE"))
    texts = (about.get("License") or "", *(one.read_text() for one in files))
    written = next((one.strip().splitlines()[0].strip() for one in texts if one.strip()), "")
    if written in _AS_WRITTEN:
        return _AS_WRITTEN[written]
    if not known and written and " " not in written:
        return written
    if not known:
        raise ValueError(f"{about['Name']}: its metadata name no licence that is known here")
    return " OR ".join(sorted(set(known)))


@cache
def needed_by(name: str, extras: frozenset[str]) -> tuple[Requirement, ...]:
    """Return what an installed package needs here, with these extras of its own."""
    environment: Any = default_environment()
    wanted = [{**environment, "extra": extra} for extra in (extras or {""})]
    return tuple(
        one
        for one in map(Requirement, distribution(name).requires or ())
        if one.marker is None or any(map(one.marker.evaluate, wanted))
    )


@cache
def version_of(name: str) -> tuple[str, str]:
    """Return the version and the licence of an installed package."""
    about = distribution(name)
    return about.version, licence_of(about)


def packages(parts: Iterable[str] = ()) -> dict[str, Package]:
    """Return all that some parts bring along, by name, or all; they have to be installed.

    Raises:
        PackageNotFoundError: one is not.
    """
    found: dict[str, Package] = {}
    table = declared()
    for part, requirements in ((part, table[part]) for part in parts or table):
        seen: set[tuple[str, frozenset[str]]] = set()
        left = [(canonicalize_name(one.name), frozenset(one.extras)) for one in requirements]
        while left:
            name, extras = left.pop()
            if (name, extras) in seen:
                continue
            seen.add((name, extras))
            package = found.setdefault(name, Package(name, *version_of(name)))
            package.parts.add(part)
            for one in needed_by(name, extras):
                package.needs.add(canonicalize_name(one.name))
                left.append((canonicalize_name(one.name), frozenset(one.extras)))
    return dict(sorted(found.items()))


def bill(found: Mapping[str, Package]) -> dict[str, Any]:
    """Return the bill of materials: the same of the same packages, whenever it is made."""
    table = project()
    direct = {canonicalize_name(one.name) for part in declared().values() for one in part}
    top = f"pkg:pypi/{table['name']}@{table['version']}"
    needs = {found[name].url for name in direct}
    edges = [{"ref": top, "dependsOn": sorted(needs)}]
    for one in found.values():
        edges.append({"ref": one.url, "dependsOn": sorted(found[name].url for name in one.needs)})
    identity = json.dumps([one.url for one in found.values()])
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, identity)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": top,
                "name": table["name"],
                "version": table["version"],
                "licenses": [{"license": {"id": table["license"]}}],
                "purl": top,
            }
        },
        "components": [_component(one) for one in found.values()],
        "dependencies": sorted(edges, key=lambda edge: edge["ref"]),
    }


def _component(one: Package) -> dict[str, Any]:
    is_plain = all(sign not in one.licence for sign in (" ", "LicenseRef"))
    licence = {"license": {"id": one.licence}} if is_plain else {"expression": one.licence}
    return {
        "type": "library",
        "bom-ref": one.url,
        "name": one.name,
        "version": one.version,
        "scope": "required" if CORE in one.parts else "optional",
        "licenses": [licence],
        "purl": one.url,
        "properties": [
            {"name": "crab-graph:part", "value": part} for part in sorted(one.parts, key=_rank)
        ],
    }


def _rank(part: str) -> tuple[bool, str]:
    return part != CORE, part


def page(found: Mapping[str, Any]) -> str:
    """Return the page of licences of a bill."""
    lines = ["| package | version | licence | needed by |", "|---|---|---|---|"]
    for one in found["components"]:
        (licence,) = one["licenses"]
        words = licence.get("expression") or licence["license"]["id"]
        parts = ", ".join(each["value"] for each in one["properties"])
        lines.append(f"| {one['name']} | {one['version']} | {words} | {parts} |")
    return PAGE_HEAD.format(count=len(found["components"])) + "\n".join(lines) + "\n"


PAGE_HEAD = """# Licences of what crab-graph brings along

crab-graph itself is under the MIT licence. `pip install crab-graph` brings the packages that are
needed by `core`; the others come with the extras that name them. Licences are those that the
packages' own metadata tell, of which `BSD License` without a number is written as BSD-3-Clause. All
{count} are listed, in the versions of `constraints.txt` on Linux with Python 3.11, also in
`sbom.cdx.json` (CycloneDX 1.6), which is part of the source distribution. Two are no open-source
software: LangGraph's server, which the extra `studio` brings, is under the Elastic License 2.0.

`make supply` writes both. `make audit` asks the package index, through `pip-audit`, for known
vulnerabilities of every package listed, fails where there are any, and says of which packages the
index tells nothing: an index that is only a mirror of the files tells nothing at all.

"""


def write() -> int:
    """Write the bill and the page; return 0."""
    made = bill(packages())
    BILL.write_text(json.dumps(made, indent=1) + "\n", "utf-8")
    PAGE.write_text(page(made), "utf-8")
    print(f"{BILL.name}, {PAGE.relative_to(ROOT)}: {len(made['components'])} packages")
    return 0


def audit() -> int:
    """Print known vulnerabilities; return 1 where there are any, and say where nobody knows."""
    components = json.loads(BILL.read_text("utf-8"))["components"]
    with tempfile.TemporaryDirectory() as directory:
        wanted, answer = Path(directory, "packages.txt"), Path(directory, "answer.json")
        wanted.write_text("".join(f"{one['name']}=={one['version']}\n" for one in components))
        command = (*AUDITOR, "-r", str(wanted), "--format", "json", "--output", str(answer))
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
        if not answer.exists():
            said = (done.stderr.strip().splitlines() or ["nothing is said"])[-1]
            print(f"not audited: advisories cannot be had here: {said}")
            return 0
        found = json.loads(answer.read_text("utf-8"))["dependencies"]
    return report(found)


def report(found: list[dict[str, Any]]) -> int:
    """Print what an audit found of each package; return 1 where something is known of one."""
    bad = [one for one in found if one.get("vulns")]
    unknown = [one for one in found if "skip_reason" in one]
    for one in bad:
        for known in one["vulns"]:
            fixed = ", ".join(known["fix_versions"]) or "no version yet"
            print(f"{one['name']} {one['version']}: {known['id']}, mended in {fixed}")
    asked = len(found) - len(unknown)
    print(f"{asked} of {len(found)} packages audited, {len(bad)} with known vulnerabilities")
    if unknown:
        print("not audited, for the package index here tells no advisories of them:", end=" ")
        print(", ".join(sorted(one["name"] for one in unknown)) if asked else "all of them")
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(write() if sys.argv[1:] == ["write"] else audit())
    except PackageNotFoundError as error:
        sys.exit(f"{error.name} is not installed; `make supply` installs every extra first")
