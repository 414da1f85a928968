"""A stream of ten cars, each after a tenth of the delay."""

import asyncio
from collections.abc import AsyncIterator

from pydantic import BaseModel

MODELS = [
    "e-tron",
    "TT Coupé",
    "Nova",
    "Uno",
    "Kuga",
    "Pinto",
    "Probe",
    "Vaneo",
    "iMIEV",
    "Opa",
    "Phaeton",
]
COMPANIES = ["Audi", "Toyota", "VW", "Ford", "Kia", "Fiat", "Chevrolet", "Mercedes"]
COUNT = 10


class Car(BaseModel):
    id: int
    model: str
    company: str


async def cars(first: int, delay_ms: int) -> AsyncIterator[Car]:
    for id in range(first, first + COUNT):
        if delay_ms > 0:
            await asyncio.sleep(delay_ms / 1000 / COUNT)
        yield Car(id=id, model=MODELS[id % len(MODELS)], company=COMPANIES[id % len(COMPANIES)])


async def car_lines(first: int, delay_ms: int) -> AsyncIterator[str]:
    async for car in cars(first, delay_ms):
        yield f"{car.model_dump_json()}\n"
