/** Calls about keys for logins between nodes, which the master carries out for all nodes. */
import { dataDirectory } from "@ganeti-ts/node-calls";
import { digest } from "./digest.js";
import type { HostState } from "./node-state.js";
import type { CallsOnHost, Site } from "./site.js";

type SshCallName = "node_ssh_key_add" | "node_ssh_key_remove" | "node_ssh_keys_renew";

const publicKey = (seed: number, { name, sshKeyCount }: HostState, type = "rsa"): string =>
  `ssh-${type} ${digest(`key ${seed} ${name} ${sshKeyCount}`)} root@${name}`;

const isKeyOf = (name: string) => (key: string) => key.endsWith(` root@${name}`);

/** Changes each node; returns the unreachable ones. */
function onEach(
  site: Site,
  names: readonly string[],
  change: (host: HostState) => void,
): { readonly node: string; readonly message: string }[] {
  const failures = [];
  for (const node of names) {
    const host = site.hostAt(node);
    if (host?.powered) {
      change(host);
      site.touch(host);
    } else failures.push({ node, message: `Could not reach ${node} by ssh` });
  }
  return failures;
}

/** The master and the nodes of these that its ssconf file names as online; all of these where it has none. */
function reachable({ host }: Site, names: readonly string[]): readonly string[] {
  const online = host.files[`${dataDirectory}/ssconf_online_nodes`]?.split("\n");
  const known = names.filter((name) => online === undefined || online.includes(name));
  return [...new Set([host.name, ...known])];
}

export const sshOperations: CallsOnHost<SshCallName> = {
  node_ssh_key_add(site, { name, potentialCandidates, toAuthorizedKeys }) {
    const added = site.hostAt(name);
    if (added === undefined) return [{ node: name, message: `Unknown node ${name}` }];
    if (!toAuthorizedKeys) return [];
    const key = publicKey(site.seed, added);
    return onEach(site, reachable(site, [...potentialCandidates, name]), (host) => {
      if (!host.sshKeys.includes(key)) host.sshKeys = [...host.sshKeys, key];
    });
  },
  node_ssh_key_remove(site, args) {
    const { name, potentialCandidates, fromAuthorizedKeys, clearAuthorizedKeys } = args;
    const failures = fromAuthorizedKeys
      ? onEach(
          site,
          reachable(site, potentialCandidates).filter((other) => other !== name),
          (host) => {
            host.sshKeys = host.sshKeys.filter((key) => !isKeyOf(name)(key));
          },
        )
      : [];
    if (!clearAuthorizedKeys) return failures;
    const cleared = onEach(site, [name], (host) => {
      host.sshKeys = [];
    });
    return [...failures, ...cleared];
  },
  node_ssh_keys_renew(site, { uuids, names, candidates, newKeyType }) {
    const keys: string[] = [];
    const failures = onEach(site, names, (host) => {
      host.sshKeyCount++;
      const uuid = uuids[names.indexOf(host.name)] ?? "";
      if (candidates.includes(uuid)) keys.push(publicKey(site.seed, host, newKeyType));
    });
    const away = new Set(failures.map(({ node }) => node));
    const reached = names.filter((name) => !away.has(name));
    onEach(site, reached, (host) => {
      host.sshKeys = [...keys];
    });
    return failures;
  },
};
