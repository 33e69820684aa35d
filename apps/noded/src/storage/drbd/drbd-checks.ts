import type { NodeContext } from "../../context.js";
import { ifFailed } from "../../failure.js";
import { handlers } from "../../handlers.js";
import type { Checks } from "../../host/verification.js";
import { kernel } from "./kernel.js";

export const helperCalls = (context: Pick<NodeContext, "run" | "paths" | "log">) =>
  handlers({ drbd_helper: () => kernel(context).helper() });

export function drbdChecks(context: Pick<NodeContext, "run" | "paths" | "log">): Checks {
  const drbd = kernel(context);
  return {
    drbdVersion: async () => ({
      drbdVersion: await drbd
        .state()
        .then(({ version }) => version)
        .catch(ifFailed((fault) => fault)),
    }),
    drbdList: async () => ({
      drbdMinors: await drbd.usedMinors().catch(ifFailed((fault) => ({ fault }))),
    }),
    drbdHelper: async () => ({
      drbdHelper: await drbd
        .helper()
        .then((text) => ({ ok: true, text }))
        .catch(ifFailed((text) => ({ ok: false, text }))),
    }),
  };
}
