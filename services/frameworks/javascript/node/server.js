import { createServer } from "node:http";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

import { articleList, isArticleList } from "./articles.js";
import { carLines, cars } from "./cars.js";

const { HOST, PORT, UPSTREAM_URL } = process.env;
const STREAM_TYPES = ["application/stream+json", "application/octet-stream"];
const SIZE_PATH = /^\/articles\/(\d+)$/;

function sendText(response, body) {
  response.writeHead(200, { "Content-Type": "text/plain" });
  response.end(body);
}

function sendJson(response, value) {
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify(value));
}

function sendStatus(response, status) {
  response.writeHead(status);
  response.end();
}

async function forwardUpstream(response, query) {
  const nonce = query.get("nonce") ?? "";
  try {
    const answer = await fetch(`${UPSTREAM_URL}/?nonce=${encodeURIComponent(nonce)}`);
    if (!answer.ok) throw new Error(`upstream answered ${answer.status}`);
    sendText(response, await answer.text());
  } catch (error) {
    console.error(error);
    sendStatus(response, 502);
  }
}

async function sendCars(request, response, query) {
  const first = Number(query.get("first") ?? 0);
  const delayMs = Number(query.get("delay_ms") ?? 0);
  const { accept } = request.headers;
  if (!STREAM_TYPES.includes(accept)) {
    return sendJson(response, await Readable.from(cars(first, delayMs)).toArray());
  }
  response.writeHead(200, { "Content-Type": accept });
  try {
    await pipeline(Readable.from(carLines(first, delayMs)), response);
  } catch (error) {
    console.error(error); // the client has disconnected
  }
}

async function answerArticles(request, response) {
  try {
    const list = await json(request);
    return isArticleList(list) ? sendJson(response, list) : sendStatus(response, 422);
  } catch {
    sendStatus(response, 400);
  }
}

const server = createServer((request, response) => {
  const [path, query] = request.url.split("?", 2);
  const size = SIZE_PATH.exec(path)?.[1];
  if (request.method === "GET" && size) {
    return sendJson(response, articleList(Number(size)));
  }
  switch (`${request.method} ${path}`) {
    case "GET /hello":
      return sendText(response, "Hello World!");
    case "GET /":
      return forwardUpstream(response, new URLSearchParams(query));
    case "GET /cars":
      return sendCars(request, response, new URLSearchParams(query));
    case "POST /articles":
      return answerArticles(request, response);
    case "GET /health":
      return sendText(response, "ok");
    default:
      sendStatus(response, 404);
  }
});

process.on("SIGTERM", () => process.exit(0));
server.listen(Number(PORT), HOST);
