/** Calls about a node as a member of the cluster. */

import type { SetupCalls, Upload } from "@ganeti-ts/node-calls";
import { dataDirectory } from "@ganeti-ts/node-calls";
import type { Json } from "@ganeti-ts/protocol";
import { ownDigest } from "./certificates.js";
import { boot } from "./host.js";
import type { HostState } from "./node-state.js";
import { type CallsOnHost, NodeFault, type Site } from "./site.js";
import { sshOperations } from "./ssh-operations.js";

/** Power command about a node, run on another one, because a node without power cannot answer. */
function power(host: HostState, command: string): Json {
  switch (command) {
    case "power-on":
      if (!host.powered) boot(host);
      return null;
    case "power-off":
      host.powered = false;
      return null;
    case "power-cycle":
      boot(host);
      return null;
    case "power-status":
      return { powered: host.powered };
    default:
      return [["power", host.powered ? "OK" : "CRITICAL"]];
  }
}

const masterDaemons: readonly string[] = ["ganeti-luxid", "ganeti-rapi", "ganeti-wconfd"];

function write({ host }: Site, { path, content }: Upload): void {
  host.files[path] = content;
}

export const setupOperations: CallsOnHost<keyof SetupCalls> = {
  upload_file: write,
  upload_file_single: write,
  write_ssconf_files({ host }, { values }) {
    for (const [name, value] of Object.entries(values)) {
      const text = typeof value === "string" ? value : value.map((line) => `${line}\n`).join("");
      host.files[`${dataDirectory}/ssconf_${name}`] = text;
    }
  },
  etc_hosts_modify({ host }, { action, host: name, ip }) {
    if (action === "remove") delete host.hosts[name];
    else if (ip !== null) host.hosts[name] = ip;
  },
  node_demote_from_mc({ host }) {
    delete host.files[`${dataDirectory}/config.data`];
  },
  node_leave_cluster({ host }) {
    host.files = {};
    host.sshKeys = [];
  },
  node_activate_master_ip({ host }, { ip }) {
    if (!host.addresses.includes(ip)) host.addresses.push(ip);
  },
  node_deactivate_master_ip({ host }, { ip }) {
    host.addresses = host.addresses.filter((address) => address !== ip);
  },
  node_change_master_netmask: () => null,
  node_start_master_daemons({ host }) {
    host.stoppedDaemons = host.stoppedDaemons.filter((name) => !masterDaemons.includes(name));
  },
  node_stop_master({ host }) {
    host.stoppedDaemons = [...new Set([...host.stoppedDaemons, ...masterDaemons])];
  },
  node_ensure_daemon({ host }, { daemon, run }) {
    host.stoppedDaemons = host.stoppedDaemons.filter((name) => name !== daemon);
    if (!run) host.stoppedDaemons.push(daemon);
  },
  node_configure_ovs({ host }, { name }) {
    if (!host.bridges.includes(name)) host.bridges.push(name);
  },
  node_crypto_tokens: (site) => ({ digest: ownDigest(site) }),
  ...sshOperations,
  hooks_runner({ uuid, scripts }, { path, phase, environment }) {
    const directory = `${path}-${phase}.d`;
    return scripts
      .filter((script) => script.directory === directory && (script.node ?? uuid) === uuid)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, run }) => {
        const { ok = true, output = "" } = run(environment, uuid) ?? {};
        const status = ok ? "success" : "error";
        return { script: `${directory}/${name}`, status, output: output.trim() };
      });
  },
  get_watcher_pause: ({ host }) => host.watcherPause,
  set_watcher_pause({ host }, { until }) {
    host.watcherPause = until;
  },
  node_powercycle({ host }) {
    boot(host);
    return "Reboot scheduled in 5 seconds";
  },
  run_oob(site, { program, command, node }) {
    if (!program.startsWith("/")) throw new NodeFault(`'${program}' is not an absolute path`);
    const host = site.hostAt(node);
    if (host === undefined) {
      throw new NodeFault(
        `'${program} ${command} ${node}' failed with reason 'exited with exit code 1'; output: unknown node`,
      );
    }
    site.touch(host);
    return power(host, command);
  },
  iallocator_runner({ host }, { name }) {
    const output = host.commands[`iallocator ${name}`];
    if (output === undefined) {
      throw new NodeFault(`iallocator module '${name}' not found in the search path`);
    }
    return output;
  },
  restricted_command({ host }, { command }) {
    const output = host.commands[command];
    if (output === undefined) throw new NodeFault(`Executing command '${command}' failed`);
    return output;
  },
  test_delay: { durationMs: (_, { seconds }) => seconds * 1000, act: () => null },
};
