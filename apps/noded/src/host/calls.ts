/** Calls about the machine itself: its figures, its files, its part in the cluster. */
import { stat } from "node:fs/promises";
import type { FigureCalls } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import type { Handlers } from "../handlers.js";
import { machineChecks } from "./machine-checks.js";
import { networkCalls } from "./network-calls.js";
import { protocolVersion } from "./protocol-version.js";
import { sshChecks } from "./ssh.js";
import { type Checks, verificationCalls } from "./verification.js";

/** `checks`: those of the other areas. */
export function hostCalls(context: NodeContext, checks: Checks): Partial<Handlers<FigureCalls>> {
  const { paths } = context;
  return {
    version: async () => ({ protocol: protocolVersion }),
    async master_node_name() {
      const [name] = await context.ssconf("master_node");
      if (name === undefined) throw new NodeFailure("The ssconf file of master_node is empty");
      return name;
    },
    async get_file_info({ path }) {
      const found = await stat(path).catch(() => null);
      return { exists: found !== null, sizeBytes: found?.size ?? 0 };
    },
    ...networkCalls(paths.interfaces),
    ...verificationCalls(context, {
      ...machineChecks(context, paths.interfaces),
      ...sshChecks(context),
      ...checks,
    }),
  };
}
