/** OP_TEST_DELAY: waits, on the master and on nodes. */

import type { Snapshot } from "@ganeti-ts/config";
import { PrereqError, refusalWithoutCode } from "@ganeti-ts/job-queue";
import type { NodeObject, OpcodeOf } from "@ganeti-ts/protocol";
import { pause } from "@ganeti-ts/protocol";
import { ask, valueOrFail } from "../unit/calls.js";
import { areChecksAll } from "../unit/checks-done.js";
import { info } from "../unit/feedback.js";
import { asExclusive, nodeLock } from "../unit/locks.js";
import type { Unit, World } from "../unit/unit.js";

type Op = OpcodeOf<"OP_TEST_DELAY">;

export const testDelay: Unit<"OP_TEST_DELAY"> = {
  opcode: "OP_TEST_DELAY",

  locks: (op, now) =>
    op.no_locks ? [] : asExclusive(...nodesOf(op, now).map(({ uuid }) => nodeLock(uuid))),

  async run(op, world) {
    if (op.duration <= 0) throw refusalWithoutCode("Duration must be greater than zero");
    if (op.interruptible) {
      // Ganeti opens a socket through which a client interrupts the delay; here, killing the job
      // does that.
      throw new PrereqError("wrong_input", "Delays can only be interrupted by killing their job");
    }
    const nodes = nodesOf(op, world.config.snapshot);
    if (await areChecksAll(world, op)) return null;
    if (op.repeat === 0) await delay(op, world, nodes);
    for (let iteration = 0; iteration < op.repeat; iteration++) {
      info(world, `Test delay iteration ${iteration}/${op.repeat - 1}`);
      await delay(op, world, nodes);
    }
    return null;
  },
};

/** The named nodes, and the master unless excluded. */
function nodesOf({ on_nodes, on_master }: Op, now: Snapshot): readonly NodeObject[] {
  const named = on_nodes.map((name) => now.expectNode(name));
  const master = now.node(now.cluster.master_node);
  const isNamed = named.some(({ uuid }) => uuid === now.cluster.master_node);
  return on_master && master !== undefined && !isNamed ? [...named, master] : named;
}

async function delay(op: Op, world: World, nodes: readonly NodeObject[]): Promise<void> {
  if (nodes.length === 0) return pause(world.clock, op.duration * 1000, world.signal);
  const answers = await Promise.all(
    nodes.map(({ uuid }) => ask(world, uuid, "test_delay", { seconds: op.duration })),
  );
  for (const [position, answer] of answers.entries()) {
    valueOrFail(answer, `Failure during rpc call to node ${nodes[position]?.name}`);
  }
}
