/** SshUpdate: changes of the ssh files of a node by the master, which are the input of the program `ssh-update`. */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import {
  authorizeKeys,
  generateKeys,
  type NodeKeys,
  readNodeKeys,
  revokeKeys,
  writeNodeKeys,
} from "./ssh-files.js";

const keys = z.record(z.string(), z.array(z.string()));

/** The input as Ganeti's masters send it. */
export const SshUpdate = z.strictObject({
  cluster_name: z.string(),
  /** PEM; proves that the caller belongs to the node's cluster. */
  node_daemon_certificate: z.string(),
  authorized_keys: z.tuple([z.enum(["add", "remove"]), keys]).optional(),
  public_keys: z
    .tuple([z.enum(["add", "remove", "override", "clear", "replace_or_add"]), keys])
    .optional(),
  /** Type, bits, suffix of the files' names. */
  generate: z.tuple([z.string(), z.int(), z.string()]).optional(),
  ssh_key_type: z.string().optional(),
  ssh_key_bits: z.int().optional(),
});
export type SshUpdate = z.infer<typeof SshUpdate>;

type Ports = Pick<NodeContext, "paths" | "run" | "ssconf">;

/** Applies the update. Rejects with `NodeFailure` if it comes from another cluster. */
export async function updateSsh(ports: Ports, update: SshUpdate): Promise<void> {
  await checkCluster(ports, update);
  const { paths } = ports;
  if (update.authorized_keys !== undefined) {
    const [action, byNode] = update.authorized_keys;
    const change = action === "add" ? authorizeKeys : revokeKeys;
    await change(paths, Object.values(byNode).flat());
  }
  if (update.public_keys !== undefined) {
    const [action, byNode] = update.public_keys;
    const given = new Map(Object.entries(byNode));
    await writeNodeKeys(paths, changedKeys(await readNodeKeys(paths), action, given));
  }
  if (update.generate !== undefined) {
    const [type, bits, suffix] = update.generate;
    await generateKeys(ports, { type, bits, suffix });
  }
}

async function checkCluster({ paths, ssconf }: Ports, update: SshUpdate): Promise<void> {
  const [cluster] = await ssconf("cluster_name");
  if (cluster !== update.cluster_name) {
    throw new NodeFailure(
      `Cluster name is '${update.cluster_name}', and ssconf reports '${cluster}'`,
    );
  }
  const own = new X509Certificate(await readFile(join(paths.data, "server.pem"), "utf8"));
  if (own.fingerprint256 !== new X509Certificate(update.node_daemon_certificate).fingerprint256) {
    throw new NodeFailure("The given cluster certificate does not match the local one");
  }
}

function changedKeys(
  present: NodeKeys,
  action: NonNullable<SshUpdate["public_keys"]>[0],
  given: NodeKeys,
): NodeKeys {
  if (action === "override") return given;
  if (action === "clear") return new Map();
  const changed = new Map(present);
  for (const [node, own] of given) {
    if (action === "remove") changed.delete(node);
    else if (action === "replace_or_add") changed.set(node, own);
    else changed.set(node, [...new Set([...(changed.get(node) ?? []), ...own])]);
  }
  return changed;
}
