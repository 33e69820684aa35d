import { createHash } from "node:crypto";
import { systemResolver } from "@ganeti-ts/machines";
import type { Resolver } from "@ganeti-ts/node-calls";
import type { NodeObject } from "@ganeti-ts/protocol";

/**
 * For clusters of simulated nodes: node names resolve to the addresses in the configuration, even
 * if DNS knows other hosts of these names. Unknown hosts of the cluster's own domain are simulated
 * as well, each with a fixed address of 198.18.0.0/15, which never answers.
 */
export const simulatedResolver = (
  clusterName: () => string,
  nodeOf: (name: string) => Pick<NodeObject, "name" | "primary_ip"> | undefined,
): Resolver => ({
  async resolve(name) {
    const node = nodeOf(name);
    if (node !== undefined) return { ok: true, name: node.name, ip: node.primary_ip };
    const found = await systemResolver.resolve(name);
    const host = name.toLowerCase();
    const domain = domainOf(clusterName());
    if (found.ok || domain === undefined || !host.endsWith(domain)) return found;
    return { ok: true, name: host, ip: simulatedIp(host) };
  },
  isAlive: async (ip, port) => !/^198\.1[89]\./.test(ip) && systemResolver.isAlive(ip, port),
});

/** `.example.com` of `demo.example.com`; a name without dots is in no domain. */
const domainOf = (name: string): string | undefined => /\..+$/.exec(name.toLowerCase())?.[0];

/** Address of a simulated host, which is never the first or last address of a network. */
function simulatedIp(host: string): string {
  const [a = 0, b = 0, c = 0] = createHash("sha256").update(host).digest();
  return `198.${18 + (a & 1)}.${b}.${1 + (c % 254)}`;
}
