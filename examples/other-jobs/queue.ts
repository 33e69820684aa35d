// A queue for a print shop: nothing of it is Ganeti's. Jobs survive a crash, printers are locked, a rule holds jobs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Executor, hindranceText, JobQueue } from "@ganeti-ts/job-queue";
import { createLockManager, lockOrder } from "@ganeti-ts/locking";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { openSqliteStore } from "@ganeti-ts/store/sqlite";

class OutOfPaper extends Error {
  override readonly name = "OutOfPaper";
}

/** The work of jobs, and the locks they need. */
const printing: Executor = {
  locks: ({ printer }) => [{ lock: `printer/${printer}`, mode: "exclusive" }],
  async run({ OP_ID, pages }, { log }) {
    if (Number(pages) > 100) throw new OutOfPaper("the tray holds 100 sheets");
    await log(`${OP_ID}: ${pages} pages`);
    return { pages: Number(pages) };
  },
};

const folder = mkdtempSync(join(tmpdir(), "print-queue-"));
const queue = await JobQueue.open({
  store: openSqliteStore(join(folder, "queue.db")),
  locks: createLockManager({ order: lockOrder(["building", "printer"]) }),
  clock: systemClock,
  random: systemRandom,
  executor: printing,
});

// The hall's printer is being repaired: a rule holds its jobs.
const rule = await queue.addRule({
  predicates: [["opcode", ["==", "printer", "hall"]]],
  action: "PAUSE",
  reason: [["user:anna", "new drum", 0]],
});
const letter = await queue.submit([{ OP_ID: "print.letter", printer: "hall", pages: 2 }]);
const book = await queue.submit([{ OP_ID: "print.book", printer: "attic", pages: 412 }]);
const copy = await queue.submit([
  { OP_ID: "print.copy", printer: "attic", pages: 2, depends: [[letter, ["success"]]] },
]);
await queue.wait(book, { signal: AbortSignal.timeout(10_000) });
for (const id of [letter, copy]) {
  const causes = await queue.whyNotRunning(id);
  console.log(`Job ${id} ${causes.map(hindranceText).join("; ").replace(rule, "RULE")}`);
}
await queue.deleteRule(rule);
await queue.wait(copy, { signal: AbortSignal.timeout(10_000) });
for (const row of await queue.query([letter, book, copy], ["id", "status", "opresult"])) {
  console.log(JSON.stringify(row));
}
await queue.stop();
rmSync(folder, { recursive: true });
