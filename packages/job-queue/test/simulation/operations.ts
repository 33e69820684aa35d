// The operations of the simulated workload.
import type { JobId, Json } from "@ganeti-ts/protocol";
import type { Dice, Process } from "@ganeti-ts/testkit/simulation";
import { type OperationContext, TryAgainError } from "../../src/index.js";
import type { Auditor } from "./auditor.js";

interface Surroundings {
  readonly process: Process;
  readonly auditor: Auditor;
  readonly dice: Dice;
}

export async function operate(
  opcode: Readonly<Record<string, unknown>>,
  context: OperationContext,
  { process, auditor, dice }: Surroundings,
): Promise<Json> {
  const { does, takesMs } = opcode as { does: string; takesMs: number };
  if (takesMs > 0) await new Promise<void>((resolve) => process.after(takesMs, resolve));
  switch (does) {
    case "fails":
      throw new Error("it failed");
    case "tries":
      if (dice.chance(0.5)) throw new TryAgainError("not now");
      return "tried";
    case "logs":
      await context.log("working");
      await context.log("still working", "delay-test");
      return [1, "log"];
    case "submits": {
      const depth = (opcode.reason as unknown[]).length;
      if (depth > 3) return "enough";
      const child = { OP_ID: "OP_A", locks: [], does: "ends", takesMs: 10, reason: [] };
      const answers = await context.submit([[child]]).catch(() => []);
      for (const [ok, id] of answers) if (ok) auditor.acknowledged(id as JobId);
      return { jobs: answers as Json };
    }
    default:
      return { done: opcode.OP_ID as string };
  }
}
