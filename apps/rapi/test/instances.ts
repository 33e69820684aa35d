/** Jobs of a test's server, run to their end. */
import type { JobId, JobStatus, JsonObject } from "@ganeti-ts/protocol";
import type { Served } from "../src/program/serve.js";

type Running = Pick<Served, "world">;

/** Final status and results of a job. */
export async function endOf({ world }: Running, id: JobId): Promise<[JobStatus, unknown]> {
  const { status, results } = await world.queue.ended(id);
  return [status, results];
}

/** Runs a job of one opcode; gives its final status and results. */
export const run = async (server: Running, opcode: JsonObject): Promise<[JobStatus, unknown]> =>
  endOf(server, await server.world.queue.submit([opcode]));

/** Runs a job of one opcode, and gives the opcode's result. @throws Error if it does not succeed */
export async function done(server: Running, opcode: JsonObject): Promise<unknown> {
  const [status, result] = await run(server, opcode);
  if (status !== "success") throw new Error(`${opcode.OP_ID}: ${JSON.stringify(result)}`);
  return (result as unknown[])[0];
}

/** Creates instances one after the other on nodes chosen by hail. @throws Error if one fails */
export async function withInstances(server: Running, wanted: readonly JsonObject[]): Promise<void> {
  const common = { OP_ID: "OP_INSTANCE_CREATE", mode: "create", os_type: "noop+default" };
  const usual = { disk_template: "drbd", disks: [{ size: 4096 }], nics: [{}], iallocator: "hail" };
  for (const one of wanted) await done(server, { ...common, ...usual, ...one });
}

/** An opcode that does nothing. */
export const dummy: JsonObject = {
  ...{ OP_ID: "OP_TEST_DUMMY", result: 1, messages: [], fail: false, submit_jobs: [] },
};

/** One with a reason in its trail. */
export const dummyFor = (reason: string): JsonObject => ({
  ...dummy,
  reason: [["gnt:user", reason, 1]],
});
