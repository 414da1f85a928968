"""Services of the catalogue that become slower or faster at a set time."""

from dataclasses import dataclass
from pathlib import Path

from backend.core.config import ROOT

# Native code, because the speed of a JIT-compiled loop varies from start to start.
_HASHING = """
import {{ createHash }} from "node:crypto";
const block = Buffer.alloc(1024);
function work(kilobytes) {{
  const hash = createHash("sha256");
  for (let done = 0; done < kilobytes; done += 1) hash.update(block);
  hash.digest();
}}
// {remark}
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

        Raises:
            ValueError: the source has no such line.
        """
        own = Path("frameworks") / "javascript" / self.slug / "server.js"
        text = (ROOT / "services" / own).read_text(encoding="utf-8")
        if text.count(self.line) != 1:
            raise ValueError(f"{own}: has no line {self.line!r}; correct the planted service.")
        if kilobytes == 0:
            source = f"{text}// {remark}\n"
        else:
            worked = text.replace(self.line, f"work({kilobytes}); {self.line}")
            source = worked + _HASHING.format(remark=remark)
        (services / own).write_text(source, encoding="utf-8")
