"""The bill of materials and the page of licences are true to what is declared and installed."""

import json
import platform
import sys
from importlib.metadata import PackageNotFoundError

import pytest
from packaging.utils import canonicalize_name

from tests import supply

BILL = json.loads(supply.BILL.read_text("utf-8"))
COMPONENTS = {one["name"]: one for one in BILL["components"]}
AGAIN = "`make supply` writes the bill and the page anew"


def is_installed(part: str) -> bool:
    try:
        supply.packages([part])
    except PackageNotFoundError:
        return False
    return True


def test_the_bill_names_what_is_declared_in_the_versions_that_are_pinned():
    parts = supply.declared()
    names = {canonicalize_name(one.name) for part in parts.values() for one in part}
    (top,) = (one for one in BILL["dependencies"] if "crab-graph" in one["ref"])
    assert {one.split("/")[1].split("@")[0] for one in top["dependsOn"]} == names, AGAIN
    pinned = supply.pinned()
    assert {one["name"]: one["version"] for one in BILL["components"]} == {
        name: pinned[name] for name in COMPONENTS
    }, AGAIN
    assert {part["value"] for one in BILL["components"] for part in one["properties"]} == set(parts)


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11) or platform.system() != "Linux",
    reason="the bill tells what is brought along on Linux with Python 3.11",
)
def test_the_bill_tells_versions_licences_and_needs_of_what_is_installed():
    parts = [part for part in supply.declared() if is_installed(part)]
    needs = {one["ref"]: one["dependsOn"] for one in BILL["dependencies"]}
    assert supply.CORE in parts
    for name, package in supply.packages(parts).items():
        known = COMPONENTS[name]
        (licence,) = known["licenses"]
        said = licence.get("expression") or licence["license"]["id"]
        assert (known["version"], said) == (package.version, package.licence), AGAIN
        assert package.parts <= {one["value"] for one in known["properties"]}, AGAIN
        assert {COMPONENTS[one]["purl"] for one in package.needs} <= set(needs[package.url]), AGAIN


def test_the_page_tells_what_the_bill_does():
    assert supply.PAGE.read_text("utf-8") == supply.page(BILL), AGAIN


def test_the_core_brings_only_licences_that_ask_nothing_of_who_uses_it():
    core = [one for one in BILL["components"] if one["scope"] == "required"]
    strict = [one["name"] for one in core for word in ("GPL", "Elastic") if word in str(one)]
    assert len(core) > 30 and not strict


def test_the_bill_is_valid():
    validation = pytest.importorskip("cyclonedx.validation.json")
    schema = pytest.importorskip("cyclonedx.schema")
    validator = validation.JsonStrictValidator(schema.SchemaVersion.V1_6)
    assert validator.validate_str(supply.BILL.read_text("utf-8")) is None


def test_an_audit_tells_vulnerabilities_apart_from_packages_nobody_knows(capsys):
    fine = {"name": "good", "version": "1", "vulns": []}
    unheard = {"name": "unheard", "version": "1", "skip_reason": "not found"}
    known = {"id": "PYSEC-1", "fix_versions": ["2"]}
    assert supply.report([fine, unheard]) == 0
    assert "1 of 2 packages audited" in capsys.readouterr().out
    assert supply.report([fine, {"name": "bad", "version": "1", "vulns": [known]}]) == 1
    assert "bad 1: PYSEC-1, mended in 2" in capsys.readouterr().out
