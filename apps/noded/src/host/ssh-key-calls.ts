/** Calls about ssh keys of nodes: the master changes its own files and, over ssh, those of all other nodes. */
import { X509Certificate } from "node:crypto";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { SetupCalls } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { outputOf, reasonOf, succeeded } from "../machine/runner.js";
import { sshRun } from "./ssh.js";
import {
  authorizeKeys,
  generateKeys,
  type NodeKeys,
  ownKeyPath,
  readNodeKeys,
  revokeKeys,
  writeNodeKeys,
} from "./ssh-files.js";
import type { SshUpdate } from "./ssh-update.js";

type Change = Pick<SshUpdate, "authorized_keys" | "public_keys" | "generate">;
type Failed = { readonly node: string; readonly message: string };

/** Path at which both Ganeti's packages and ours install the program. */
const updateProgram = "/usr/lib/ganeti/ssh-update";
const tries = 3;

export const sshKeyCalls = (context: NodeContext) =>
  handlers({
    node_ssh_key_add: (args) => addKey(context, args),
    node_ssh_key_remove: (args) => removeKey(context, args),
    node_ssh_keys_renew: (args) => renewKeys(context, args),
  });

/** Sends each node its change; returns the nodes that could not be changed. */
async function sendAll(
  context: NodeContext,
  changes: readonly (readonly [node: string, change: Change])[],
): Promise<readonly Failed[]> {
  const wanted = changes.filter(([, change]) => Object.keys(change).length > 0);
  const sent = await Promise.all(wanted.map(([node, change]) => send(context, node, change)));
  return wanted.flatMap(([node], at) => {
    const message = sent[at];
    return message == null ? [] : [{ node, message }];
  });
}

/** Sends a change in several attempts; returns the fault of the last one, or null if one succeeded. */
async function send(context: NodeContext, node: string, change: Change): Promise<string | null> {
  const pem = await readFile(join(context.paths.data, "server.pem"), "utf8");
  const update: SshUpdate = {
    cluster_name: (await context.ssconf("cluster_name"))[0] ?? "",
    node_daemon_certificate: new X509Certificate(pem).toString(),
    ...change,
  };
  let fault: string | null = null;
  for (let time = 0; time < tries; time++) {
    const ended = await sshRun(context, { host: node, command: updateProgram }, update);
    if (succeeded(ended)) return null;
    fault = `${reasonOf(ended)}: ${outputOf(ended).trim()}`;
  }
  return fault;
}

async function otherNodes({ ssconf, nodeName }: NodeContext): Promise<readonly string[]> {
  return (await ssconf("online_nodes")).filter((name) => name !== nodeName);
}

async function addKey(
  context: NodeContext,
  args: SetupCalls["node_ssh_key_add"]["arguments"],
): Promise<readonly Failed[]> {
  const { paths } = context;
  const known = new Map(await readNodeKeys(paths));
  const own = known.get(args.name) ?? known.get(args.uuid);
  if (own === undefined) {
    throw new NodeFailure(
      `No keys found for the new node '${args.name}' (UUID ${args.uuid}) in the list of public SSH keys, neither for the name or the UUID`,
    );
  }
  if (known.delete(args.name)) await writeNodeKeys(paths, known.set(args.uuid, own));
  if (args.toAuthorizedKeys) await authorizeKeys(paths, own);
  const mine = { [args.uuid]: [...own] };
  const changes = (await otherNodes(context)).map((node): readonly [string, Change] => {
    const authorized: Change = args.toAuthorizedKeys ? { authorized_keys: ["add", mine] } : {};
    if (node === args.name && args.getPublicKeys) {
      return [node, { ...authorized, public_keys: ["override", plain(known)] }];
    }
    const isListed = args.toPublicKeys && args.potentialCandidates.includes(node);
    return [node, { ...authorized, ...(isListed && { public_keys: ["replace_or_add", mine] }) }];
  });
  return sendAll(context, changes);
}

const plain = (keys: NodeKeys): Record<string, string[]> =>
  Object.fromEntries([...keys].map(([node, own]) => [node, [...own]]));

async function removeKey(
  context: NodeContext,
  args: SetupCalls["node_ssh_key_remove"]["arguments"],
): Promise<readonly Failed[]> {
  const { paths } = context;
  const [master] = await context.ssconf("master_node");
  if (args.name === master) throw new NodeFailure("Cannot remove the master node's keys.");
  const { fromAuthorizedKeys, fromPublicKeys, clearAuthorizedKeys, clearPublicKeys } = args;
  if (!(fromAuthorizedKeys || fromPublicKeys || clearAuthorizedKeys || clearPublicKeys)) {
    throw new NodeFailure("No removal from any key file was requested.");
  }
  const known = new Map(await readNodeKeys(paths));
  // A node that is added again has its new key under its name, as all nodes of clusters made by earlier versions do.
  const entries = args.isReadded ? [args.uuid] : [args.uuid, args.name];
  const own = entries.flatMap((entry) => known.get(entry) ?? []);
  const gone = { [args.uuid]: [...own] };
  if (fromAuthorizedKeys) await revokeKeys(paths, own);
  const others = (await otherNodes(context)).filter((node) => node !== args.name);
  const changes = others.map((node): readonly [string, Change] => [
    node,
    {
      ...(fromAuthorizedKeys && { authorized_keys: ["remove", gone] }),
      ...(fromPublicKeys &&
        args.potentialCandidates.includes(node) && { public_keys: ["remove", gone] }),
    },
  ]);
  const failed = await sendAll(context, changes);
  const ofOthers = [...known].filter(
    ([uuid]) => uuid !== args.uuid && args.candidates.includes(uuid),
  );
  const leaving: Change = {
    ...(clearAuthorizedKeys && { authorized_keys: ["remove", plain(new Map(ofOthers))] }),
    ...(clearPublicKeys
      ? { public_keys: ["clear", {}] }
      : fromPublicKeys && { public_keys: ["remove", gone] }),
  };
  const last = await sendAll(context, [[args.name, leaving]]);
  const kept = new Map([...known].filter(([entry]) => !entries.includes(entry)));
  if (fromPublicKeys && kept.size < known.size) await writeNodeKeys(paths, kept);
  return [...failed, ...last];
}

/** Renews the keys; all nodes accept the new ones before any refuses the old ones. */
async function renewKeys(
  context: NodeContext,
  args: SetupCalls["node_ssh_keys_renew"]["arguments"],
): Promise<readonly Failed[]> {
  const { paths, nodeName } = context;
  const type = args.newKeyType;
  const old = await readNodeKeys(paths);
  const renewed = new Map(old);
  const failed: Failed[] = [];
  const online = await otherNodes(context);
  for (const [at, name] of args.names.entries()) {
    const uuid = args.uuids[at];
    if (uuid === undefined || !online.includes(name)) continue;
    const faults = await sendAll(context, [[name, { generate: [type, args.newKeyBits, ""] }]]);
    // Commands over ssh start in root's home directory.
    const command = `cat .ssh/id_${type}.pub`;
    const read = faults.length > 0 ? null : await sshRun(context, { host: name, command });
    if (read !== null && succeeded(read)) renewed.set(uuid, [read.stdout.trim()]);
    else failed.push(faults[0] ?? { node: name, message: "Cannot read the new public key" });
  }
  const suffix = "_master_tmp";
  const ownUuid = args.uuids[args.names.indexOf(nodeName)];
  if (ownUuid !== undefined) {
    renewed.set(ownUuid, [await generateKeys(context, { type, bits: args.newKeyBits, suffix })]);
  }
  const ofCandidates = (keys: NodeKeys): NodeKeys =>
    new Map([...keys].filter(([uuid]) => args.candidates.includes(uuid)));
  const fresh = plain(ofCandidates(renewed));
  await authorizeKeys(paths, Object.values(fresh).flat());
  await writeNodeKeys(paths, renewed);
  const added = online.map((node): readonly [string, Change] => [
    node,
    {
      authorized_keys: ["add", fresh],
      ...(args.potentialCandidates.includes(node) && { public_keys: ["override", plain(renewed)] }),
    },
  ]);
  failed.push(...(await sendAll(context, added)));
  if (ownUuid !== undefined) {
    const path = ownKeyPath(paths, type);
    for (const end of ["", ".pub"]) await rename(`${path}${suffix}${end}`, `${path}${end}`);
  }
  const stale = new Map(
    [...ofCandidates(old)].map(([uuid, keys]) => [
      uuid,
      keys.filter((key) => !renewed.get(uuid)?.includes(key)),
    ]),
  );
  const removed = online.map((node): readonly [string, Change] => [
    node,
    { authorized_keys: ["remove", plain(stale)] },
  ]);
  failed.push(...(await sendAll(context, removed)));
  await revokeKeys(paths, [...stale.values()].flat());
  return failed;
}
