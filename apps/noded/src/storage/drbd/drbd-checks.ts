import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { handlers } from "../../handlers.js";
import type { Checks } from "../../host/verification.js";
import { kernel } from "./kernel.js";

export const helperCalls = (context: Pick<NodeContext, "run" | "paths" | "log">) =>
  handlers({
    drbd_helper: () => kernel(context).helper(),
  });

export function drbdChecks(context: Pick<NodeContext, "run" | "paths" | "log">): Checks {
  const drbd = kernel(context);
  return {
    drbdVersion: async () => ({
      drbdVersion: await orText(
        async () => (await drbd.state()).version,
        (text) => text,
      ),
    }),
    drbdList: async () => ({
      drbdMinors: await orText(
        () => drbd.usedMinors(),
        (fault) => ({ fault }),
      ),
    }),
    drbdHelper: async () => ({
      drbdHelper: await orText(
        async () => ({ ok: true, text: await drbd.helper() }),
        (text) => ({ ok: false, text }),
      ),
    }),
  };
}

async function orText<T, Fault>(
  look: () => Promise<T>,
  fault: (text: string) => Fault,
): Promise<T | Fault> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    return fault(error.message);
  }
}
