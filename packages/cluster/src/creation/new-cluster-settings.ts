/** Settings of a new cluster other than its name. */
import { diskTemplates, hypervisors } from "@ganeti-ts/protocol";
import * as z from "zod";

/** Schema of a node of a new cluster; without an address its name is resolved. */
export const NewNode = z.strictObject({
  name: z.string().min(1),
  primary_ip: z.string().exactOptional(),
  secondary_ip: z.string().exactOptional(),
  group: z.string().exactOptional(),
});
export type NewNode = z.infer<typeof NewNode>;

/** Schema of the settings of a new cluster, as files and programs give them. */
export const NewClusterSettings = z.strictObject({
  /** The first node is the master. */
  nodes: z.array(NewNode).min(1).exactOptional(),
  groups: z.array(z.string().min(1)).min(1).exactOptional(),
  hypervisors: z.array(z.enum(hypervisors)).min(1).exactOptional(),
  disk_templates: z.array(z.enum(diskTemplates)).min(1).exactOptional(),
  /** Values of the cluster that no job ever changes, or that need no check. */
  cluster: z
    .strictObject({
      master_ip: z.string().exactOptional(),
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
  /** Parameters of OP_CLUSTER_SET_PARAMS, checked and completed by that opcode. */
  parameters: z.record(z.string(), z.json()).exactOptional(),
});
export type NewClusterSettings = z.infer<typeof NewClusterSettings>;
