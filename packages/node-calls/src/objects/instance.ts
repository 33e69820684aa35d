import * as z from "zod";
import { AnyJson, list, object, Parameters, record } from "../call.js";
import { DiskOnNode } from "./disk.js";

/** Schema of a NIC as nodes get it, with all parameters filled. */
export const NicOnNode = object({
  uuid: z.string(),
  mac: z.string().nullish(),
  ip: z.string().nullish(),
  name: z.string().nullish(),
  /** UUID. */
  network: z.string().nullish(),
  /** Filled, except in `hotplug_device` where Ganeti's master may send them as stored. */
  nicparams: Parameters,
  /** The network object of the configuration, where the NIC has a network. */
  netinfo: Parameters.nullish(),
  pci: z.int().nullish(),
  hvinfo: Parameters.nullish(),
});
export type NicOnNode = z.infer<typeof NicOnNode>;

/** An instance with all parameters filled, so that a node needs nothing else. Keys as in the configuration. */
export const InstanceOnNode = object({
  uuid: z.string(),
  name: z.string(),
  os: z.string().nullish(),
  hypervisor: z.string(),
  /** Filled, with global ones. */
  hvparams: Parameters,
  /** Filled: `maxmem`, `minmem` in MiB, `vcpus` and so on. */
  beparams: Parameters,
  /** Filled, without private ones; `instance_os_add` adds the secret ones of its operation. */
  osparams: Parameters,
  osparams_private: Parameters.nullish(),
  nics: list(NicOnNode),
  /** In their order. */
  disks: list(DiskOnNode),
  network_port: z.int().nullish(),
  /** UUIDs of nodes. */
  primary_node: z.string().nullish(),
  secondary_nodes: list(z.string()).nullish(),
  admin_state: z.string().nullish(),
  admin_state_source: z.string().nullish(),
  disks_active: z.boolean().nullish(),
  serial_no: z.int().nullish(),
  /** Seconds since the epoch. */
  ctime: z.number().nullish(),
  mtime: z.number().nullish(),
  tags: list(z.string()).nullish(),
  forthcoming: z.boolean().nullish(),
});
export type InstanceOnNode = z.infer<typeof InstanceOnNode>;

/** An object of the configuration as it is stored, with nothing filled. */
export const StoredObject = record(AnyJson);
export type StoredObject = z.infer<typeof StoredObject>;
