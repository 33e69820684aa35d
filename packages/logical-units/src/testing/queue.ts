/** OP_TEST_DELAY, OP_TEST_JQUEUE, OP_TEST_OS_PARAMS and OP_TEST_DUMMY: test features of the job queue. */

import type { Snapshot } from "@ganeti-ts/config";
import { ExecError, refusalWithoutCode } from "@ganeti-ts/job-queue";
import type { Json, JsonObject, NodeObject, OpcodeOf } from "@ganeti-ts/protocol";
import { isJsonObject, pause } from "@ganeti-ts/protocol";
import { ask, info, valueOrFail } from "../unit/effects.js";
import { asExclusive, nodeLock } from "../unit/locks.js";
import { wrongInput } from "../unit/refusals.js";
import { areChecksAll, type Unit, type World } from "../unit/unit.js";

type Op = OpcodeOf<"OP_TEST_DELAY">;

/** OP_TEST_DELAY: waits, on the master and on nodes. */
export const testDelay: Unit<"OP_TEST_DELAY"> = {
  opcode: "OP_TEST_DELAY",

  locks: (op, now) =>
    op.no_locks ? [] : asExclusive(...nodesOf(op, now).map(({ uuid }) => nodeLock(uuid))),

  async run(op, world) {
    if (op.duration <= 0) throw refusalWithoutCode("Duration must be greater than zero");
    if (op.interruptible) {
      // Ganeti opens a socket through which a client interrupts the delay; here, killing the job
      // does that.
      wrongInput("Delays can only be interrupted by killing their job");
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

/** Logs the messages. Notifications are refused: they need sockets on the master. */
export const testJqueue: Unit<"OP_TEST_JQUEUE"> = {
  opcode: "OP_TEST_JQUEUE",
  locks: (_, now) => asExclusive(nodeLock(now.cluster.master_node)),
  async run(op, world) {
    if (op.notify_waitlock || op.notify_exec) {
      wrongInput("Clients are not notified; follow the job's log instead");
    }
    info(world, "Executing");
    for (const [position, message] of op.log_messages.entries()) {
      info(world, `Sending log message ${position + 1}`);
      world.log(`TESTMSG:${message}`);
    }
    if (op.fail) throw new ExecError("Opcode failure was requested");
    return true;
  },
};

/**
 * Names the secret parameters that arrived, without their values: every user can read a job's log.
 */
export const testOsParams: Unit<"OP_TEST_OS_PARAMS"> = {
  opcode: "OP_TEST_OS_PARAMS",
  locks: () => [],
  async run({ osparams_secret }, world) {
    const names = Object.keys(osparams_secret ?? {});
    if (names.length === 0) throw new ExecError("Opcode needs secret parameters");
    const shown = names.map((name) => `'${name}': '<redacted>'`).join(", ");
    world.log(`Secret OS parameters: {${shown}}`);
    return null;
  },
};

/** Carries out its parameters: logs, submits jobs, fails, or returns the result. */
export const testDummy: Unit<"OP_TEST_DUMMY"> = {
  opcode: "OP_TEST_DUMMY",
  locks: () => [],
  async run({ messages, submit_jobs, fail, result }, world) {
    for (const message of listOf(messages)) world.log(message);
    const jobs = listOf(submit_jobs).map(
      (job) => listOf(job).filter((opcode) => isJsonObject(opcode)) as JsonObject[],
    );
    if (jobs.length > 0) await world.submit(jobs);
    if (fail === true) throw new ExecError("Opcode failure was requested");
    return result as Json;
  },
};

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
