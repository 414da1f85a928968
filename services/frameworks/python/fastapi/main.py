"""A service under test on FastAPI, served by uvicorn with its defaults."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import httpx
import uvicorn
from articles import ArticleList, article_list
from cars import Car, car_lines, cars
from fastapi import FastAPI, Header, Request
from fastapi.responses import PlainTextResponse, StreamingResponse

STREAM_TYPES = ("application/stream+json", "application/octet-stream")
UPSTREAM_TIMEOUT_SECONDS = 60  # as the contract requires; httpx's default is 5 s
# The contract requires 1,000 connections, all kept for the next call. By default, httpx opens 100 and
# keeps 20.
UPSTREAM_LIMITS = httpx.Limits(max_connections=1000, max_keepalive_connections=1000)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with httpx.AsyncClient(
        timeout=UPSTREAM_TIMEOUT_SECONDS, limits=UPSTREAM_LIMITS
    ) as client:
        app.state.client = client
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/hello", response_class=PlainTextResponse)
async def hello() -> str:
    return "Hello World!"


@app.get("/", response_class=PlainTextResponse)
async def forward_upstream(request: Request, nonce: str = "") -> str:
    client: httpx.AsyncClient = request.app.state.client
    answer = await client.get(os.environ["UPSTREAM_URL"], params={"nonce": nonce})
    answer.raise_for_status()
    return answer.text


@app.get("/cars", response_model=list[Car])
async def get_cars(
    accept: Annotated[str | None, Header()] = None, first: int = 0, delay_ms: int = 0
) -> StreamingResponse | list[Car]:
    if accept in STREAM_TYPES:
        return StreamingResponse(car_lines(first, delay_ms), media_type=accept)
    return [car async for car in cars(first, delay_ms)]


@app.get("/articles/{size}", response_model_exclude_unset=True)
async def get_articles(size: int) -> ArticleList:
    return article_list(size)


@app.post("/articles", response_model_exclude_unset=True)
async def answer_articles(articles: ArticleList) -> ArticleList:
    return articles


@app.get("/health", response_class=PlainTextResponse)
async def health() -> str:
    return "ok"


if __name__ == "__main__":
    uvicorn.run(
        app,
        host=os.environ.get("HOST", "0.0.0.0"),
        port=int(os.environ["PORT"]),
        access_log=False,  # as the contract requires
        timeout_graceful_shutdown=0,  # SIGTERM stops at once
    )
