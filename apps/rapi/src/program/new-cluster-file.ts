/** What a new cluster is to be like, as JSON in a file. */
import { readFileSync } from "node:fs";
import { diskTemplates, hypervisors } from "@ganeti-ts/protocol";
import { z } from "zod";

/** What a new cluster can be told besides its name. */
export const NewClusterFile = z.strictObject({
  /** The first node is the master. */
  nodes: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        primary_ip: z.string().exactOptional(),
        secondary_ip: z.string().exactOptional(),
        group: z.string().exactOptional(),
      }),
    )
    .min(1)
    .exactOptional(),
  groups: z.array(z.string().min(1)).min(1).exactOptional(),
  hypervisors: z.array(z.enum(hypervisors)).min(1).exactOptional(),
  disk_templates: z.array(z.enum(diskTemplates)).min(1).exactOptional(),
  /** Values of the cluster that are never changed by a job, or that need no check. */
  cluster: z
    .strictObject({
      master_netdev: z.string().exactOptional(),
      master_netmask: z.int().exactOptional(),
      primary_ip_family: z.union([z.literal(2), z.literal(10)]).exactOptional(),
      volume_group_name: z.string().exactOptional(),
      drbd_usermode_helper: z.string().exactOptional(),
      modify_etc_hosts: z.boolean().exactOptional(),
      modify_ssh_setup: z.boolean().exactOptional(),
      ssh_key_type: z.enum(["rsa", "dsa", "ecdsa"]).exactOptional(),
      ssh_key_bits: z.int().exactOptional(),
      file_storage_dir: z.string().exactOptional(),
      shared_file_storage_dir: z.string().exactOptional(),
      gluster_storage_dir: z.string().exactOptional(),
    })
    .exactOptional(),
  /** Parameters of OP_CLUSTER_SET_PARAMS: checked and filled in as by that. */
  parameters: z.record(z.string(), z.json()).exactOptional(),
});
export type NewClusterFile = z.infer<typeof NewClusterFile>;

/** What a cluster cannot be told. */
export class NewClusterError extends Error {
  override readonly name = "NewClusterError";
}

/** @throws NewClusterError for what is no such JSON */
export function readNewClusterFile(path: string | undefined): NewClusterFile {
  if (path === undefined) return {};
  const text = readFileSync(path === "-" ? 0 : path, "utf8");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new NewClusterError(`${path}: ${(error as Error).message}`);
  }
  const read = NewClusterFile.safeParse(json);
  if (read.success) return read.data;
  throw new NewClusterError(`${path}: ${z.prettifyError(read.error)}`);
}
