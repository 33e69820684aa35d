/** Calls about the machine itself: its figures, its files, its part in the cluster. */
import type { FigureCalls } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import type { Handlers } from "../handlers.js";

/** `major * 1000000 + minor * 10000` of Ganeti 3.0. */
export const protocolVersion = 3_000_000;

export const hostCalls = ({ ssconf }: NodeContext): Partial<Handlers<FigureCalls>> => ({
  version: async () => ({ protocol: protocolVersion }),
  async master_node_name() {
    const [name] = await ssconf("master_node");
    if (name === undefined) throw new NodeFailure("The ssconf file of master_node is empty");
    return name;
  },
});
