/** Instances of a test's server, made through its queue. */
import { isFinalized, type JobId, type JobStatus, type JsonObject } from "@ganeti-ts/protocol";
import type { TestServer } from "./served.js";

const common = {
  OP_ID: "OP_INSTANCE_CREATE",
  mode: "create",
  nics: [{}],
  os_type: "noop+default",
  iallocator: "hail",
  disk_template: "drbd",
  disks: [{ size: 4096 }],
};

/** Creates instances one after the other on nodes chosen by hail. @throws Error if one fails */
export async function withInstances(
  server: TestServer,
  wanted: readonly JsonObject[],
): Promise<void> {
  for (const one of wanted) {
    const id = await server.world.queue.submit([{ ...common, ...one }]);
    const [status, result] = await endOf(server, id);
    if (status !== "success") throw new Error(JSON.stringify(result));
  }
}

/** Final status and results of a job. */
export async function endOf(server: TestServer, id: JobId): Promise<[JobStatus, unknown]> {
  let previousValues = null;
  for (;;) {
    const answer = await server.world.queue.waitForChange(id, {
      fields: ["status", "opresult"],
      previousValues,
      previousSerial: 1e9,
      timeoutMs: 300_000,
    });
    if (answer === "nochange") throw new Error(`job ${id} does not end`);
    const [status, result] = answer.values as [JobStatus, unknown];
    if (isFinalized(status)) return [status, result];
    previousValues = answer.values as never;
  }
}
