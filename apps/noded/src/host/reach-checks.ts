/** Checks whether other nodes answer at their addresses. */
import { connect, isIPv6 } from "node:net";
import type { VerifyRequest } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import type { Checks } from "./verification.js";

/** TCP port on which nodes are contacted; a refused connection shows that the node is up. */
const nodePort = 1811;

/** Tries to reach an address, from the given source address if there is one. */
export type Reach = (target: string, source: string | undefined) => Promise<boolean>;

export const reachByTcp =
  (port = nodePort, timeoutMs = 10_000): Reach =>
  (target, source) =>
    new Promise((resolve) => {
      const socket = connect({ host: target, port, ...(source && { localAddress: source }) });
      const end = (isReached: boolean): void => {
        socket.destroy();
        resolve(isReached);
      };
      socket.setTimeout(timeoutMs, () => end(false));
      socket.once("connect", () => end(true));
      socket.once("error", ({ code }: NodeJS.ErrnoException) => end(code === "ECONNREFUSED"));
    });

export const reachChecks = (
  { nodeName }: Pick<NodeContext, "nodeName">,
  reach: Reach = reachByTcp(),
): Checks => ({
  network: async (request) => ({ unreachedByTcp: await unreached(request, nodeName, reach) }),
  async master({ name, ip, candidates }) {
    if (!candidates.includes(nodeName)) return { masterReached: null };
    const ownAddress = isIPv6(ip) ? "::1" : "127.0.0.1";
    const source = name === nodeName ? ownAddress : undefined;
    return { masterReached: await reach(ip, source) };
  },
});

/** Nodes that cannot be reached; both networks are tried, each from this node's address in it. */
async function unreached(
  { nodes, candidates }: NonNullable<VerifyRequest["network"]>,
  nodeName: string,
  reach: Reach,
): Promise<Record<string, string>> {
  if (!candidates.includes(nodeName)) return {};
  const own = nodes.find(({ name }) => name === nodeName);
  if (own === undefined) {
    return { [nodeName]: "Can't find my own primary/secondary IP in the node list" };
  }
  const faults = await Promise.all(
    nodes.map(async ({ name, primaryIp, secondaryIp }) => {
      const failed: string[] = [];
      if (!(await reach(primaryIp, own.primaryIp))) failed.push("primary");
      if (secondaryIp !== primaryIp && !(await reach(secondaryIp, own.secondaryIp))) {
        failed.push("secondary");
      }
      const fault = `failure using the ${failed.join(" and ")} interface(s)`;
      return failed.length === 0 ? [] : [[name, fault] as const];
    }),
  );
  return Object.fromEntries(faults.flat());
}
