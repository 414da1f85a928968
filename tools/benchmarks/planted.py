"""JavaScript services of the catalogue whose work per request a benchmark sets."""

from dataclasses import dataclass
from pathlib import Path

from backend.core.config import ROOT

_FOLDER = Path("frameworks") / "javascript"
_SERVER = "server.js"
# Native code, because the speed of a JIT-compiled loop varies by half from start to start.
_HASHING = """
import { createHash } from "node:crypto";
const block = Buffer.alloc(1024);
function work(kilobytes) {
  const hash = createHash("sha256");
  for (let done = 0; done < kilobytes; done += 1) hash.update(block);
  hash.digest();
}
"""


@dataclass(frozen=True)
class PlantedService:
    """A JavaScript service whose answer to /hello can include the hashing of some kilobytes.

    `line` is the line of its source that answers; the work is put before it.
    """

    slug: str
    line: str

    def plant(self, services: Path, kilobytes: int, remark: str) -> None:
        """Write the service into a copy of the catalogue, with this work per request.

        Another `remark` gives another build with the same work.

        Raises:
            ValueError: the source does not have the line exactly once.
        """
        own = _FOLDER / self.slug / _SERVER
        text = (ROOT / "services" / own).read_text(encoding="utf-8")
        if text.count(self.line) != 1:
            raise ValueError(f"{own}: has no line {self.line!r}; correct the planted service.")
        if kilobytes:
            text = text.replace(self.line, f"work({kilobytes}); {self.line}") + _HASHING
        (services / own).write_text(f"{text}// {remark}\n", encoding="utf-8")


NODE = PlantedService("node", 'return sendText(response, "Hello World!");')
FASTIFY = PlantedService("fastify", 'return "Hello World!";')
