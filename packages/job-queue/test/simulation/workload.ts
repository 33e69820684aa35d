// Workload of clients: any permitted call, at any time.
import { isFinalized, type JobId, type Json, type JsonObject } from "@ganeti-ts/protocol";
import type { Dice } from "@ganeti-ts/testkit/simulation";
import type { JobQueue, MemoryDatabase } from "../../src/index.js";
import type { Auditor } from "./auditor.js";

const lockNames = ["instance/a", "instance/b", "node/1", "node/2", "node/3"];
const reasons = ["", "rate-limit:1:disk", "rate-limit:2:net", "pink bunny", "rate-limit:0:x"];

/** An opcode as random as they come. */
function opcode(dice: Dice, serial: number): JsonObject {
  const locks = lockNames
    .filter(() => dice.chance(0.25))
    .map((name) => [name, dice.pick(["shared", "exclusive"])]);
  const depends: Json[] = [];
  if (dice.chance(0.2))
    depends.push([dice.between(-2, serial), [dice.pick(["success", "error", "canceled"])]]);
  if (dice.chance(0.1)) depends.push([dice.between(-1, serial + 2), []]);
  return {
    OP_ID: dice.pick(["OP_A", "OP_B", "OP_C"]),
    locks,
    moves: dice.chance(0.2),
    does: dice.pick(["ends", "ends", "ends", "ends", "fails", "logs", "tries", "submits"]),
    takesMs: dice.pick([0, 10, 500, 5000, 60_000]),
    priority: dice.pick([-10, 0, 0, 10]),
    depends: depends.length === 0 ? null : depends,
    reason: [["client", dice.pick(reasons), 1_700_000_000_000_000_001n]],
  };
}

const opcodes = (dice: Dice, serial: number) =>
  Array.from({ length: dice.between(1, 3) }, () => opcode(dice, serial));

const action = (dice: Dice): Json =>
  dice.pick<Json>([
    "ACCEPT",
    "PAUSE",
    "PAUSE",
    "REJECT",
    "CONTINUE",
    ["RATE_LIMIT", 1],
    ["RATE_LIMIT", 2],
  ]);

const predicates = (dice: Dice): Json =>
  dice.pick<Json>([
    [],
    [["jobid", [">", "id", "watermark"]]],
    [["opcode", ["==", "OP_ID", "OP_A"]]],
    [["reason", ["=~", "reason", "bunny"]]],
    [
      ["opcode", ["!=", "OP_ID", "OP_B"]],
      ["jobid", ["<", "id", 9]],
    ],
  ]);

/** One random call; what it gives when it is refused does not matter, what it acknowledges does. */
export async function randomCall(
  queue: JobQueue,
  database: MemoryDatabase,
  auditor: Auditor,
  dice: Dice,
): Promise<void> {
  const id = dice.between(1, database.serial + 1) as JobId;
  const kind = dice.between(1, 20);
  if (kind <= 6) return auditor.acknowledged(await queue.submit(opcodes(dice, database.serial)));
  if (kind <= 9) {
    const count = dice.between(1, 4);
    const list = Array.from({ length: count }, () => opcodes(dice, database.serial));
    for (const [ok, answer] of await queue.submitMany(list)) if (ok) auditor.acknowledged(answer);
    return;
  }
  switch (kind) {
    case 10:
    case 11: {
      const [done, message] = await queue.cancel(id);
      const row = database.rows.get(id);
      if (
        done &&
        message.startsWith("Job successfully") &&
        row !== undefined &&
        row.status !== "canceled"
      ) {
        auditor.broken("results are true", `${message}, but job ${id} is ${row.status}`);
      }
      return;
    }
    case 12: {
      await queue.cancel(id, { kill: true });
      return;
    }
    case 13: {
      await queue.changePriority(id, dice.pick([-10, 0, 10]));
      return;
    }
    case 14: {
      await queue.addRule({
        priority: dice.between(0, 2),
        predicates: predicates(dice),
        action: action(dice),
      });
      return;
    }
    case 15: {
      const uuid = [...database.rules.keys()][0];
      if (uuid === undefined) return;
      if (dice.chance(0.5)) await queue.deleteRule(uuid);
      else await queue.replaceRule(uuid, { predicates: predicates(dice), action: action(dice) });
      return;
    }
    case 16: {
      await queue.change({ drained: dice.chance(0.3), runningMax: dice.between(0, 6) });
      return;
    }
    case 17: {
      if (dice.chance(0.5)) await queue.archive(id);
      else await queue.autoArchive(dice.pick([-1, 60]), 10);
      return;
    }
    case 18: {
      await queue.whyNotRunning(id);
      return;
    }
    default: {
      const answer = await queue.waitForChange(id, {
        fields: ["status", "opstatus"],
        previousValues: null,
        previousSerial: null,
        timeoutMs: 30_000,
      });
      if (answer === "nochange")
        return auditor.broken("calls are answered", "a first question was left open");
      const { values } = answer;
      const next = await queue.waitForChange(id, {
        fields: ["status", "opstatus"],
        previousValues: values,
        previousSerial: 0,
        timeoutMs: 89_000,
      });
      if (next === "nochange") return;
      const row = database.rows.get(id);
      if (row === undefined)
        auditor.broken("acknowledged is kept", `job ${id} was shown and is gone`);
      else if (isFinalized(next.values[0] as never) && row.status !== next.values[0]) {
        auditor.broken(
          "results are true",
          `job ${id} was shown as ${next.values[0]}, and is ${row.status}`,
        );
      }
      return;
    }
  }
}
