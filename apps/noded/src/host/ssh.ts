/** Running commands on other nodes by ssh. */
import { join } from "node:path";
import type { NodeContext } from "../context.js";
import { type Finished, outputOf, succeeded } from "../machine/runner.js";
import type { Checks } from "./verification.js";

type Ports = Pick<NodeContext, "run" | "paths" | "nodeName">;

/**
 * Runs a command as root on another node. All nodes of a cluster show one host key, under the name of the cluster; no
 * question is ever asked.
 */
function sshRun(
  { run, paths }: Ports,
  clusterName: string,
  host: string,
  command: string,
): Promise<Finished> {
  const options = [
    ...["EscapeChar=none", "HashKnownHosts=no"],
    `GlobalKnownHostsFile=${join(paths.data, "known_hosts")}`,
    ...["UserKnownHostsFile=/dev/null", "CheckHostIp=no", "ConnectTimeout=10"],
    `HostKeyAlias=${clusterName}`,
    ...["BatchMode=yes", "StrictHostKeyChecking=yes"],
  ];
  const words = [...options.map((option) => `-o${option}`), "-q", "--", `root@${host}`, command];
  return run.run({ program: "ssh", args: words, timeoutMs: 60_000 });
}

const hostNameCommand =
  'if test -z "$GANETI_HOSTNAME"; then hostname --fqdn; else echo "$GANETI_HOSTNAME"; fi';

/** Whether the node can be reached and has the name by which it was called; else the fault. */
async function sshFault(ports: Ports, clusterName: string, node: string): Promise<string | null> {
  const ended = await sshRun(ports, clusterName, node, hostNameCommand);
  if (!succeeded(ended)) return `ssh problem: ${outputOf(ended)}`;
  const name = ended.stdout.trim();
  if (name === node) return null;
  return node.startsWith(`${name}.`)
    ? `hostname not FQDN: expected ${node} but got ${name}`
    : `hostname mismatch: expected ${node} but got ${name}`;
}

/** Only master candidates may reach others, so only they try. */
export const sshChecks = (ports: Ports): Checks => ({
  async ssh({ nodes, more, candidates }, { clusterName }) {
    if (!candidates.includes(ports.nodeName)) return { unreachedBySsh: {} };
    const own = Object.hasOwn(more, ports.nodeName) ? more[ports.nodeName] : undefined;
    const wanted = [...new Set([...nodes, ...(own ?? [])])];
    const faults = await Promise.all(
      wanted.map(async (node) => [node, await sshFault(ports, clusterName, node)] as const),
    );
    return {
      unreachedBySsh: Object.fromEntries(
        faults.flatMap(([node, fault]) => (fault === null ? [] : [[node, fault]])),
      ),
    };
  },
});
