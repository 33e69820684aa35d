/** Runs commands on other nodes over ssh. */
import { dirname, join } from "node:path";
import type { NodeContext } from "../context.js";
import type { NodePaths } from "../machine/paths.js";
import { type Finished, outputOf, shellQuoted, succeeded } from "../machine/runner.js";
import type { Checks } from "./verification.js";

type Ports = Pick<NodeContext, "run" | "paths" | "nodeName">;

interface Login {
  readonly host: string;
  /** Interpreted by the shell of the other node. */
  readonly command: string;
  /**
   * Name under which all nodes of the cluster have the same host key. Without it any key is accepted, because the host may
   * not have that key yet.
   */
  readonly clusterName?: string;
}

/** Runs a command as root on another node, with `input` as JSON, and never prompts. */
export function sshRun(
  { run, paths }: Pick<NodeContext, "run" | "paths">,
  { host, command, clusterName }: Login,
  input?: unknown,
): Promise<Finished> {
  const isChecked = clusterName !== undefined;
  const options = [
    ...["EscapeChar=none", "HashKnownHosts=no"],
    `GlobalKnownHostsFile=${join(paths.data, "known_hosts")}`,
    ...["UserKnownHostsFile=/dev/null", "CheckHostIp=no", "ConnectTimeout=10"],
    ...(isChecked ? [`HostKeyAlias=${clusterName}`] : []),
    ...["BatchMode=yes", `StrictHostKeyChecking=${isChecked ? "yes" : "no"}`],
  ];
  const line = paths.isVirtual ? `${virtualNode(paths, host)} ${command}` : command;
  const words = [...options.map((option) => `-o${option}`), "-q", "--", `root@${host}`, line];
  const text = input === undefined ? {} : { input: JSON.stringify(input) };
  return run.run({ program: "ssh", args: words, timeoutMs: 60_000, ...text });
}

/** Sets the variables that programs on another node of a virtual cluster need. */
const virtualNode = ({ root }: Pick<NodePaths, "root">, host: string): string =>
  [
    `export GANETI_ROOTDIR=${shellQuoted(join(dirname(root), host))};`,
    `export GANETI_HOSTNAME=${shellQuoted(host)};`,
  ].join(" ");

const hostNameCommand =
  'if test -z "$GANETI_HOSTNAME"; then hostname --fqdn; else echo "$GANETI_HOSTNAME"; fi';

/** Checks that the node can be reached and has the name it was called by; returns the fault, or null. */
async function sshFault(ports: Ports, clusterName: string, node: string): Promise<string | null> {
  const ended = await sshRun(ports, { host: node, command: hostNameCommand, clusterName });
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
