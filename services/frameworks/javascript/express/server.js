import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import express from "express";

import { articleList, isArticleList } from "./articles.js";
import { carLines, cars } from "./cars.js";

const { HOST, PORT, UPSTREAM_URL } = process.env;
const STREAM_TYPES = ["application/stream+json", "application/octet-stream"];
const app = express();

app.get("/hello", (request, response) => {
  response.type("text/plain").send("Hello World!");
});

app.get("/", async (request, response) => {
  const { nonce = "" } = request.query;
  const answer = await fetch(`${UPSTREAM_URL}/?nonce=${encodeURIComponent(nonce)}`);
  if (!answer.ok) throw new Error(`upstream answered ${answer.status}`);
  response.type("text/plain").send(await answer.text());
});

app.get("/cars", async (request, response) => {
  const { first = 0, delay_ms: delayMs = 0 } = request.query;
  const accept = request.get("Accept");
  if (!STREAM_TYPES.includes(accept)) {
    response.json(await Readable.from(cars(Number(first), Number(delayMs))).toArray());
    return;
  }
  response.type(accept);
  try {
    await pipeline(Readable.from(carLines(Number(first), Number(delayMs))), response);
  } catch (error) {
    console.error(error); // the client has disconnected
  }
});

app.get("/articles/:size", (request, response) => {
  response.json(articleList(Number(request.params.size)));
});

app.post("/articles", express.json({ limit: "2mb" }), (request, response) => {
  if (isArticleList(request.body)) {
    response.json(request.body);
  } else {
    response.sendStatus(422);
  }
});

app.get("/health", (request, response) => {
  response.type("text/plain").send("ok");
});

process.on("SIGTERM", () => process.exit(0));
app.listen(Number(PORT), HOST);
