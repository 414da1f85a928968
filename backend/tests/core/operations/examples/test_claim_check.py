"""Headline claims of a recorded bundle need a finding or a cause."""

from copy import deepcopy
from functools import cache

from backend.core.catalog.folders import Catalogue
from backend.core.config import ROOT
from backend.core.documents import JsonObject
from backend.core.operations.examples.bundle import BUNDLE_VERSION, read_bundle
from backend.core.operations.examples.claim_check import find_open_claims, read_reproduction
from backend.core.operations.examples.service import FOLDER
from backend.core.units import Metric, Verdict

STUDY = Catalogue(ROOT / "services").studies["streaming-example"][0]


@cache
def _read() -> JsonObject:
    return read_bundle(ROOT / "services" / FOLDER / "streaming-example.json.gz")


def bundle(**changes: object) -> JsonObject:
    """Return the example as if this version had recorded it, with today's Helidon of the study."""
    document = {**deepcopy(_read()), "version": BUNDLE_VERSION, **changes}
    for cell in document["cells"]:
        if cell["framework"] == "helidon":
            cell["framework"] = "helidon-no-delay"
    return document


def open_claims(document: JsonObject) -> list[str]:
    return [fault.detail for fault in find_open_claims(document, STUDY)]


def test_a_bundle_has_the_results_that_its_database_had() -> None:
    document = bundle()
    found = read_reproduction(document)

    assert len(found.cells) == len(document["cells"])
    vertx = next(cell for cell in found.cells if cell.framework == "vertx")
    assert vertx.values[Metric.BOOT_MS].keys() == {1, 2, 3, 4, 5}
    assert vertx.service_cpus > 0


def test_short_windows_of_an_older_version_were_not_tested() -> None:
    def list_untested(version: int) -> list[bool]:
        document = bundle(version=version)
        for trial in document["trials"]:
            trial["verdicts"] = []
            measured = [sample for sample in trial["samples"] if sample["phase"] == "measure"]
            trial["samples"] = measured[:3]
        cells = read_reproduction(document).cells
        return [Verdict.STEADINESS_NOT_TESTED in cell.verdicts for cell in cells]

    assert not any(list_untested(BUNDLE_VERSION))
    assert all(list_untested(2))


def test_a_headline_claim_without_results_is_a_fault() -> None:
    document = bundle()
    vertx = {cell["id"] for cell in document["cells"] if cell["framework"] == "vertx"}
    boots = "Vert.x has the fastest start."
    assert not any(boots in detail for detail in open_claims(document))

    document["trials"] = [trial for trial in document["trials"] if trial["cell_id"] not in vertx]

    (fault,) = (detail for detail in open_claims(document) if boots in detail)
    assert fault.endswith("(not measured): There is no result of Vert.x.")
