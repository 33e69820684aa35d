/** OP_TEST_JQUEUE, OP_TEST_OS_PARAMS and OP_TEST_DUMMY: test features of the job queue. */

import { ExecError, PrereqError } from "@ganeti-ts/job-queue";
import { isJsonObject, type Json, type JsonObject } from "@ganeti-ts/protocol";
import { info } from "../unit/feedback.js";
import { asExclusive, nodeLock } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";

/** Logs the messages. Notifications are refused: they need sockets on the master. */
export const testJqueue: Unit<"OP_TEST_JQUEUE"> = {
  opcode: "OP_TEST_JQUEUE",
  locks: (_, now) => asExclusive(nodeLock(now.cluster.master_node)),
  async run(op, world) {
    if (op.notify_waitlock || op.notify_exec) {
      throw new PrereqError(
        "wrong_input",
        "Clients are not notified; follow the job's log instead",
      );
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
