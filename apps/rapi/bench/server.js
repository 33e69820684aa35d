// The measured server, on nodes that answer at once. Reports when it is ready, and the resources that it has used.
//
//   node bench/server.js DIRECTORY [OPTION…]     where there is a cluster; `bench abc123` may do everything
import { subscribe } from "node:diagnostics_channel";
import { mkdirSync, writeFileSync } from "node:fs";
import { ServerResponse } from "node:http";
import { join } from "node:path";
import { noDurations } from "@ganeti-ts/simulated-nodes";
import { createLog, readOptions, serve } from "../dist/bench-parts.js";

const folder = process.argv[2] ?? ".";
mkdirSync(join(folder, "rapi"), { recursive: true });
writeFileSync(join(folder, "rapi", "users"), "bench abc123 write\n");
const words = ["--data-dir", folder, "-p", "0", "--iallocator-search-path="];
const options = readOptions([...words, ...process.argv.slice(3)]);
if (typeof options === "string") throw new Error(options);
const served = await serve(options, createLog("silent"), { durations: noDurations });

const cpuMsNow = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Longer than the beginning of a list, which has no row in it. */
const rowBytesMin = 100;

/** Processor time from the latest request of a body with rows until the first of them was written. */
let rowCpuMs = 0;
/** Processor time at the beginning of requests whose rows have not been written yet. @type {WeakMap<object, number>} */
const begun = new WeakMap();
subscribe("http.server.request.start", (message) => {
  const { request, response } = /** @type {{ request: { url: string }, response: object }} */ (
    message
  );
  // Other requests are not slowed down by the reading of the processor time.
  if (request.url.includes("?bulk=")) begun.set(response, cpuMsNow());
});
const { write } = ServerResponse.prototype;
ServerResponse.prototype.write = /** @type {typeof write} */ (
  function (chunk, ...rest) {
    const since = begun.get(this);
    if (since !== undefined && chunk.length > rowBytesMin) {
      begun.delete(this);
      rowCpuMs = cpuMsNow() - since;
    }
    return /** @type {Function} */ (write).call(this, chunk, ...rest);
  }
);

process.on("message", () => {
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({
    cpuMs: cpuMsNow(),
    rowCpuMs,
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
