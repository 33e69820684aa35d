/** Calls about the network interfaces of the machine. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { ownAddresses } from "./addresses.js";

/** Names in `bridges` that are not bridges of this machine. */
export async function missingBridges(
  bridges: readonly string[],
  folder: string,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const bridge of bridges) {
    const isName = /^[^/\0]+$/.test(bridge) && bridge !== "." && bridge !== "..";
    const found = isName ? await stat(join(folder, bridge, "bridge")).catch(() => null) : null;
    if (!found?.isDirectory()) missing.push(bridge);
  }
  return missing;
}

export const networkCalls = (context: Pick<NodeContext, "run" | "paths">) =>
  handlers({
    async bridges_exist({ bridges }) {
      const missing = await missingBridges(bridges, context.paths.interfaces);
      if (missing.length > 0) throw new NodeFailure(`Missing bridges ${missing.join(", ")}`);
    },
    node_has_ip_address: async ({ address: wanted }) =>
      (await ownAddresses(context)).some(({ address }) => address === wanted),
  });
