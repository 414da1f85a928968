"""GET /verdicts."""

from fastapi import APIRouter

from backend.api.schemas import Page
from backend.api.verdicts.schemas import VerdictInfo
from backend.core.measurements.verdicts import BARRING
from backend.core.units import Verdict

router = APIRouter(prefix="/verdicts", tags=["verdicts"])


@router.get("")
def list_verdicts() -> Page[VerdictInfo]:
    """Every verdict there is, and whether it bars a number from ranking."""
    return Page(items=[VerdictInfo(verdict=one, bars_ranking=one in BARRING) for one in Verdict])
