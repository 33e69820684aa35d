// The server that is measured, on nodes that do everything at once. Says when it is ready, and what it has used.
//
//   node bench/server.js DIRECTORY [OPTION…]     where there is a cluster; `bench abc123` may do everything
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noDurations } from "@ganeti-ts/simulated-nodes";
import { createLog } from "../dist/log.js";
import { readOptions } from "../dist/program/options.js";
import { serve } from "../dist/program/serve.js";

const folder = process.argv[2] ?? ".";
mkdirSync(join(folder, "rapi"), { recursive: true });
writeFileSync(join(folder, "rapi", "users"), "bench abc123 write\n");
const words = ["--data-dir", folder, "-p", "0", "--iallocator-search-path="];
const options = readOptions([...words, ...process.argv.slice(3)]);
if (typeof options === "string") throw new Error(options);
const served = await serve(options, createLog("silent"), { durations: noDurations });

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({
    cpuMs: (user + system) / 1000,
    rssMib: rss / 2 ** 20,
    heapMib: heapUsed / 2 ** 20,
  });
});
process.send?.(Number(new URL(served.url).port));
// The measuring process has ended.
process.on("disconnect", () => process.exit(1));
process.on("SIGTERM", async () => {
  await served.stop();
  process.exit(0);
});
