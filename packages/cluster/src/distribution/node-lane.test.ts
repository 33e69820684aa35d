import { answered, type NodeBackend } from "@ganeti-ts/node-calls";
import type { JobId } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { nobody } from "../nodes/asking-nodes.js";
import { NodeLane } from "./node-lane.js";

const job = 1 as JobId;
const none = { ssconf: {}, configuration: undefined, rest: undefined, serial: job, drained: false };
const node = { uuid: "uuid", name: "node1.example.com", online: true, candidate: true };

test("a job that is queued at the moment when a lane finishes its work is sent at once", async () => {
  for (let moment = 0; moment < 30; moment++) {
    const paths: unknown[] = [];
    const nodes = {
      introduce: async () => undefined,
      call: async (_: unknown, __: unknown, { path }: { readonly path?: string }) => {
        paths.push(path);
        return answered(null);
      },
    } as unknown as NodeBackend;
    const log = { info() {}, warn() {}, error() {} };
    const clock = { now: () => 0, after: () => () => {} };
    const copies = { ...none, jobText: async () => "{}" };
    const lane = new NodeLane(node, copies, { nodes, caller: nobody, clock, log });
    await lane.attempt();
    void lane.attempt();
    for (let passed = 0; passed < moment; passed++) await undefined;
    lane.oweJobs([job]);
    lane.wake();
    await new Promise((resolve) => setTimeout(resolve));
    expect(paths.at(-1), `after ${moment} steps`).toMatch(/queue\/job-1$/);
    await lane.stop();
  }
});
