import cluster from "node:cluster";
import { availableParallelism } from "node:os";

if (cluster.isPrimary) {
  for (let count = availableParallelism(); count > 0; count -= 1) cluster.fork();
  process.on("SIGTERM", () => {
    for (const worker of Object.values(cluster.workers)) worker.process.kill("SIGKILL");
    process.exit(0);
  });
} else {
  await import("./server.js");
}
