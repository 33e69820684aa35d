// The server that is measured: 6 instances and 200 jobs, nodes that do everything at once. Tells its port.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noDurations } from "@ganeti-ts/logical-units/simulated";
import { createLog } from "../dist/log.js";
import { readOptions } from "../dist/program/options.js";
import { serve } from "../dist/program/serve.js";

const folder = mkdtempSync(join(tmpdir(), "rapi-bench-"));
const options = readOptions([
  ...["--data-dir", folder, "-p", "0", "--init=bench.example.com", "--iallocator-search-path="],
]);
if (typeof options === "string") throw new Error(options);
const served = await serve(options, createLog("silent"), noDurations);
const { queue } = served.world;
const instance = {
  ...{
    OP_ID: "OP_INSTANCE_CREATE",
    mode: "create",
    disk_template: "drbd",
    disks: [{ size: 4096 }],
  },
  ...{ nics: [{}], os_type: "noop+default", iallocator: "hail" },
};
const creations = Array.from({ length: 6 }, (_, at) => [
  { ...instance, instance_name: `instance${at + 1}.example.com` },
]);
await queue.submitMany(creations);
await queue.submitMany(Array.from({ length: 194 }, () => [{ OP_ID: "OP_CLUSTER_REDIST_CONF" }]));
for (;;) {
  const rows = await queue.query([], ["status"]);
  if (rows.every((row) => row?.[0] === "success" || row?.[0] === "error")) break;
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const { instanceCount } = served.config.snapshot;
if (instanceCount !== 6) throw new Error(`${instanceCount} instances were made`);
process.send?.(Number(new URL(served.url).port));
process.on("SIGTERM", async () => {
  await served.stop();
  rmSync(folder, { recursive: true });
  process.exit(0);
});
