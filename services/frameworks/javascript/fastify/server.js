import { Readable } from "node:stream";

import Fastify from "fastify";

import { articleList } from "./articles.js";
import { carLines, cars } from "./cars.js";
import { articleListSchema } from "./schema.js";

const { HOST, PORT, UPSTREAM_URL } = process.env;
const STREAM_TYPES = ["application/stream+json", "application/octet-stream"];
const fastify = Fastify({
  // As the contract requires: bodies of up to 2 MB, and no type coercion.
  bodyLimit: 2 * 1024 * 1024,
  ajv: { customOptions: { coerceTypes: false } },
});

fastify.get("/hello", async (request, reply) => {
  reply.type("text/plain");
  return "Hello World!";
});

fastify.get("/", async (request, reply) => {
  const { nonce = "" } = request.query;
  const answer = await fetch(`${UPSTREAM_URL}/?nonce=${encodeURIComponent(nonce)}`);
  if (!answer.ok) throw new Error(`upstream answered ${answer.status}`);
  reply.type("text/plain");
  return answer.text();
});

fastify.get("/cars", async (request, reply) => {
  const { first = 0, delay_ms: delayMs = 0 } = request.query;
  const { accept } = request.headers;
  if (!STREAM_TYPES.includes(accept)) {
    return Readable.from(cars(Number(first), Number(delayMs))).toArray();
  }
  reply.type(accept);
  return Readable.from(carLines(Number(first), Number(delayMs)));
});

const response = { 200: articleListSchema };

fastify.get("/articles/:size", { schema: { response } }, async (request) =>
  articleList(Number(request.params.size)),
);

fastify.post(
  "/articles",
  { schema: { body: articleListSchema, response } },
  async (request) => request.body,
);

fastify.get("/health", async () => "ok");

process.on("SIGTERM", () => process.exit(0));
await fastify.listen({ port: Number(PORT), host: HOST ?? "0.0.0.0" });
