// Workload of clients: any permitted call, at any time.
import { isFinalized, type JobId, type Json, type JsonObject } from "@ganeti-ts/protocol";
import type { JobQueue, MemoryDatabase } from "../../src/index.js";
import type { Auditor } from "./auditor.js";
import type { Chance } from "./chance.js";

const lockNames = ["instance/a", "instance/b", "node/1", "node/2", "node/3"];
const reasons = ["", "rate-limit:1:disk", "rate-limit:2:net", "pink bunny", "rate-limit:0:x"];

/** An opcode as random as they come. */
function opcode(chance: Chance, serial: number): JsonObject {
  const locks = lockNames
    .filter(() => chance.happens(0.25))
    .map((name) => [name, chance.pick(["shared", "exclusive"])]);
  const depends: Json[] = [];
  if (chance.happens(0.2))
    depends.push([chance.between(-2, serial), [chance.pick(["success", "error", "canceled"])]]);
  if (chance.happens(0.1)) depends.push([chance.between(-1, serial + 2), []]);
  return {
    OP_ID: chance.pick(["OP_A", "OP_B", "OP_C"]),
    locks,
    moves: chance.happens(0.2),
    does: chance.pick(["ends", "ends", "ends", "ends", "fails", "logs", "tries", "submits"]),
    takesMs: chance.pick([0, 10, 500, 5000, 60_000]),
    priority: chance.pick([-10, 0, 0, 10]),
    depends: depends.length === 0 ? null : depends,
    reason: [["client", chance.pick(reasons), 1_700_000_000_000_000_001n]],
  };
}

const opcodes = (chance: Chance, serial: number) =>
  Array.from({ length: chance.between(1, 3) }, () => opcode(chance, serial));

const action = (chance: Chance): Json =>
  chance.pick<Json>([
    "ACCEPT",
    "PAUSE",
    "PAUSE",
    "REJECT",
    "CONTINUE",
    ["RATE_LIMIT", 1],
    ["RATE_LIMIT", 2],
  ]);

const predicates = (chance: Chance): Json =>
  chance.pick<Json>([
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
  chance: Chance,
): Promise<void> {
  const id = chance.between(1, database.serial + 1) as JobId;
  const kind = chance.between(1, 20);
  if (kind <= 6) return auditor.acknowledged(await queue.submit(opcodes(chance, database.serial)));
  if (kind <= 9) {
    const count = chance.between(1, 4);
    const list = Array.from({ length: count }, () => opcodes(chance, database.serial));
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
      await queue.changePriority(id, chance.pick([-10, 0, 10]));
      return;
    }
    case 14: {
      await queue.addRule({
        priority: chance.between(0, 2),
        predicates: predicates(chance),
        action: action(chance),
      });
      return;
    }
    case 15: {
      const uuid = [...database.rules.keys()][0];
      if (uuid === undefined) return;
      if (chance.happens(0.5)) await queue.deleteRule(uuid);
      else
        await queue.replaceRule(uuid, { predicates: predicates(chance), action: action(chance) });
      return;
    }
    case 16: {
      await queue.change({ drained: chance.happens(0.3), runningMax: chance.between(0, 6) });
      return;
    }
    case 17: {
      if (chance.happens(0.5)) await queue.archive(id);
      else await queue.autoArchive(chance.pick([-1, 60]), 10);
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
