/** Calls about the cluster's address, which is up on the master. */
import { join } from "node:path";
import type { MasterAddress, SetupCalls } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { ifFailed, NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { outputOf, reasonOf, succeeded } from "../machine/runner.js";
import { type OwnAddress, ownAddresses } from "./addresses.js";
import { runHooks } from "./hooks-calls.js";

type Ports = Pick<NodeContext, "run" | "paths" | "log" | "ssconf">;

const actions = {
  start: { hook: "master-ip-turnup", opcode: "OP_CLUSTER_IP_TURNUP", change: addAddress },
  stop: { hook: "master-ip-turndown", opcode: "OP_CLUSTER_IP_TURNDOWN", change: removeAddress },
} as const;

export const masterAddressCalls = (ports: Ports) =>
  handlers({
    node_activate_master_ip: (master) => changed(ports, "start", master),
    node_deactivate_master_ip: (master) => changed(ports, "stop", master),
    node_change_master_netmask: (wanted) => changeNetmask(ports, wanted),
  });

/** Runs the hooks of both phases and, between them, the administrator's script or the change by the daemon itself. */
async function changed(ports: Ports, action: "start" | "stop", master: MasterAddress) {
  const { hook, change } = actions[action];
  const environment = {
    MASTER_NETDEV: master.netdev,
    MASTER_IP: master.ip,
    MASTER_NETMASK: String(master.netmask),
    CLUSTER_IP_VERSION: String(master.family),
  };
  const hooks = (phase: "pre" | "post") => localHooks(ports, action, phase, environment);
  const failed = (await hooks("pre")).filter(({ status }) => status === "error");
  if (failed.length > 0) {
    const texts = failed.map(({ script, output }) => `${script}: ${output}`);
    throw new NodeFailure(`Hooks of ${hook} failed: ${texts.join("; ")}`);
  }
  if (master.externalScript) await runScript(ports, action, environment);
  else await change(ports, master);
  for (const { script, status, output } of await hooks("post")) {
    if (status === "error") ports.log.warn(`Hook ${script} failed: ${output}`);
  }
}

async function localHooks(
  ports: Ports,
  action: "start" | "stop",
  phase: "pre" | "post",
  variables: Readonly<Record<string, string>>,
) {
  const { hook, opcode } = actions[action];
  const own = Object.entries(variables).map(([name, value]) => [`GANETI_${name}`, value]);
  const environment = {
    PATH: "/sbin:/bin:/usr/sbin:/usr/bin",
    GANETI_HOOKS_VERSION: "2",
    GANETI_HOOKS_PHASE: phase,
    GANETI_HOOKS_PATH: hook,
    GANETI_OP_CODE: opcode,
    GANETI_DATA_DIR: ports.paths.data,
    GANETI_CLUSTER: (await ports.ssconf("cluster_name"))[0] ?? "",
    GANETI_MASTER: (await ports.ssconf("master_node"))[0] ?? "",
    ...Object.fromEntries(own),
  };
  return runHooks(ports, { path: hook, phase, environment });
}

const failure = (action: "start" | "stop", code: number | null, output: string): NodeFailure =>
  new NodeFailure(
    `Failed to ${action} the master IP. Script return value: ${code}, output: '${output}'`,
  );

async function runScript(
  { run, paths }: Ports,
  action: "start" | "stop",
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const program = join(paths.conf, "scripts/master-ip-setup");
  const ended = await run.run({ program, args: [action], env, cleanEnv: true });
  if (!succeeded(ended)) throw failure(action, ended.code, outputOf(ended));
}

const wordsOf = ({ ip, netmask, netdev }: { ip: string; netmask: number; netdev: string }) => [
  ...[`${ip}/${netmask}`, "dev", netdev],
];

async function addAddress(ports: Ports, master: MasterAddress): Promise<void> {
  const { run, log } = ports;
  const { ip, netdev, family } = master;
  if ((await ownAddresses(ports)).some(({ address }) => address === ip)) return;
  const ping = await run.run({ program: "ping", args: [`-${family}`, "-c", "1", "-W", "1", ip] });
  if (succeeded(ping)) {
    const text = "Error: master IP address configured on another machine.";
    throw failure("start", 1, text);
  }
  const label = family === 4 ? ["label", `${netdev}:0`] : [];
  const added = await run.run({
    program: "ip",
    args: ["address", "add", ...wordsOf(master), ...label],
  });
  if (!succeeded(added)) throw failure("start", added.code, outputOf(added));
  if (family !== 4) return;
  // Neighbours learn the new location of the address at once; if this fails, they learn it when their caches expire.
  const command = { program: "arping", args: ["-q", "-U", "-c", "3", "-I", netdev, ip] };
  const fault = await run
    .run(command)
    .then((ended) => (succeeded(ended) ? null : reasonOf(ended)))
    .catch(ifFailed((text) => text));
  if (fault !== null) log.warn(`The master IP address could not be announced by arping: ${fault}`);
}

async function removeAddress(ports: Ports, master: MasterAddress): Promise<void> {
  const own = (await ownAddresses(ports)).filter(({ address }) => address === master.ip);
  if (own.length === 0) return;
  const found = own.find(({ device }) => device === master.netdev);
  if (found === undefined) {
    throw failure("stop", 1, `Error: master IP address configured on ${own[0]?.device}`);
  }
  const args = ["address", "del", ...wordsOf({ ...master, netmask: found.netmask })];
  const ended = await ports.run.run({ program: "ip", args });
  if (!succeeded(ended)) throw failure("stop", ended.code, outputOf(ended));
}

/** A repeated call finds the new netmask in place and removes only remains of the old one. */
async function changeNetmask(
  ports: Ports,
  { oldNetmask, netmask, ip, netdev }: SetupCalls["node_change_master_netmask"]["arguments"],
): Promise<void> {
  if (oldNetmask === netmask) return;
  const own = (await ownAddresses(ports)).filter(({ address }) => address === ip);
  if (own.length === 0) {
    throw new NodeFailure("The master IP address is not up, not attempting to change its netmask");
  }
  const has = (mask: number) =>
    own.some((one: OwnAddress) => one.netmask === mask && one.device === netdev);
  const label = ip.includes(":") ? [] : ["label", `${netdev}:0`];
  const change = async (args: readonly string[], fault: string): Promise<void> => {
    const ended = await ports.run.run({ program: "ip", args: ["address", ...args] });
    if (!succeeded(ended)) throw new NodeFailure(fault);
  };
  if (!has(netmask)) {
    const words = wordsOf({ ip, netmask, netdev });
    await change(
      ["add", ...words, ...label],
      "Could not set the new netmask on the master IP address",
    );
  }
  if (has(oldNetmask)) {
    const words = wordsOf({ ip, netmask: oldNetmask, netdev });
    const fault = "Could not bring down the master IP address with the old netmask";
    await change(["del", ...words, ...label], fault);
  }
}
