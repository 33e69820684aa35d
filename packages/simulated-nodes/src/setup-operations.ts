/** Calls about a node as a member of the cluster. */

import type { SetupCalls } from "@ganeti-ts/node-calls";
import { dataDirectory } from "@ganeti-ts/node-calls";
import { digest } from "./digest.js";
import { boot } from "./host.js";
import type { HostState } from "./node-state.js";
import { shellAnswer } from "./shell.js";
import { type CallsOnHost, NodeFault } from "./site.js";

/** Answers for nodes, by name, in their place: the one that can also be switched on again. */
function power(host: HostState, command: string): string {
  switch (command) {
    case "power-on":
      if (!host.powered) boot(host);
      return "";
    case "power-off":
      host.powered = false;
      return "";
    case "power-cycle":
      boot(host);
      return "";
    case "power-status":
      return JSON.stringify({ powered: host.powered });
    default:
      return JSON.stringify([["power", host.powered ? "OK" : "CRITICAL"]]);
  }
}

/** Leases that a node remembers; a worker's death is rare. */
const fencedMax = 1000;

export const setupOperations: CallsOnHost<keyof SetupCalls> = {
  fence_leases({ host }, { leases }) {
    host.fenced = [...new Set([...host.fenced, ...leases])].slice(-fencedMax);
    return null;
  },
  read_files: ({ host }, { paths }) =>
    Object.fromEntries(
      paths.flatMap((path) => {
        const content = host.files[path];
        return content === undefined ? [] : [[path, { content, mode: 0o600 }]];
      }),
    ),
  upload_file({ host }, { path, content }) {
    host.files[path] = content;
    return null;
  },
  write_ssconf_files({ host }, { values }) {
    for (const [name, value] of Object.entries(values)) {
      host.files[`${dataDirectory}/ssconf_${name}`] = value;
    }
    return null;
  },
  cluster_domain_secret({ host, seed }) {
    const path = `${dataDirectory}/cluster-domain-secret`;
    const known = host.files[path];
    const secret = known ?? `${digest(`domain ${seed} ${host.name}`)}\n`;
    host.files[path] = secret;
    return { secret, isNew: known === undefined };
  },
  etc_hosts_modify({ host }, { action, host: name, ip }) {
    if (action === "remove") delete host.hosts[name];
    else if (ip !== null) host.hosts[name] = ip;
    return null;
  },
  node_demote_from_mc({ host }) {
    delete host.files[`${dataDirectory}/config.data`];
    return null;
  },
  node_leave_cluster({ host }) {
    host.files = {};
    host.sshKeys = [];
    return null;
  },
  node_activate_master_ip({ host }, { ip }) {
    if (!host.addresses.includes(ip)) host.addresses.push(ip);
    return null;
  },
  node_deactivate_master_ip({ host }, { ip }) {
    host.addresses = host.addresses.filter((address) => address !== ip);
    return null;
  },
  node_change_master_netmask: () => null,
  node_ensure_daemon({ host }, { daemon, run }) {
    host.stoppedDaemons = host.stoppedDaemons.filter((name) => name !== daemon);
    if (!run) host.stoppedDaemons.push(daemon);
    return null;
  },
  node_configure_ovs({ host }, { name }) {
    if (!host.bridges.includes(name)) host.bridges.push(name);
    return null;
  },
  node_crypto_tokens({ host, seed }, { renew }) {
    if (renew) host.certificateCount++;
    return { digest: digest(`certificate ${seed} ${host.name} ${host.certificateCount}`) };
  },
  node_ssh_keys_renew({ host, seed }, { keyType }) {
    host.sshKeyCount++;
    const key = digest(`key ${seed} ${host.name} ${host.sshKeyCount}`);
    return { publicKey: `ssh-${keyType} ${key} root@${host.name}` };
  },
  node_ssh_keys_set({ host }, { publicKeys }) {
    host.sshKeys = [...publicKeys];
    return null;
  },
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
    return null;
  },
  node_powercycle({ host }) {
    boot(host);
    return "Reboot scheduled in 5 seconds";
  },
  run_oob({ hostAt, touch }, { program, command, node }) {
    const host = hostAt(node);
    if (host === undefined) {
      throw new NodeFault(
        `'${program} ${command} ${node}' failed with reason 'exited with exit code 1'; output: unknown node`,
      );
    }
    touch(host);
    return power(host, command);
  },
  restricted_command({ host }, { command }) {
    const output = host.commands[command];
    if (output === undefined) throw new NodeFault(`Executing command '${command}' failed`);
    return output;
  },
  shell_command: ({ host }, { command }) => shellAnswer(host, command),
  test_delay: {
    durationMs: (_, { seconds }) => seconds * 1000,
    act: () => null,
  },
};
