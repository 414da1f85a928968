"""GET /verdicts."""

from pydantic import Field

from backend.api.deps import needs
from backend.api.http.router import NounRouter
from backend.api.schemas import Page
from backend.core.bodies import Schema
from backend.core.measurement.measurements.verdicts import EXCLUDING
from backend.core.people.access.permissions import Permission
from backend.core.units import Verdict


class VerdictInfo(Schema):
    verdict: Verdict = Field(examples=["generator_saturated"])
    excludes_from_ranking: bool = Field(description="Whether it excludes a number from ranking.")


router = NounRouter(prefix="/verdicts", tags=["verdicts"], dependencies=[needs(Permission.OPEN)])


@router.get("")
def list_verdicts() -> Page[VerdictInfo]:
    """Return all verdicts, and whether each excludes a number from ranking."""
    return Page(
        items=[
            VerdictInfo(verdict=item, excludes_from_ranking=item in EXCLUDING) for item in Verdict
        ]
    )
