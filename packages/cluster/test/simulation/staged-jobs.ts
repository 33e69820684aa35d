// Jobs of the staged cases, each submitted as one job at the start of a run; their instances are not touched by the
// random workload.
import type { JsonObject } from "@ganeti-ts/protocol";
import type { StagedJob } from "./sabotage.js";
import { commit } from "./workload.js";

const reservation = (name: string, more: JsonObject): JsonObject => ({
  OP_ID: "OP_INSTANCE_CREATE",
  instance_name: `${name}.example.com`,
  mode: "create",
  forthcoming: true,
  ip_check: false,
  name_check: false,
  os_type: "noop+default",
  hypervisor: "kvm",
  beparams: { memory: 256 },
  pnode: "node1.example.com",
  ...more,
});

const reserved = reservation("reserved", {
  disk_template: "plain",
  disks: [{ size: 1024 }],
  nics: [],
});

export const stagedJobs: Readonly<Record<StagedJob, readonly JsonObject[]>> = {
  "an address": [
    { OP_ID: "OP_NETWORK_ADD", network_name: "pool", network: "192.0.2.128/29" },
    {
      OP_ID: "OP_NETWORK_CONNECT",
      network_name: "pool",
      group_name: "default",
      network_mode: "routed",
      network_link: "100",
    },
    reservation("addressed", {
      disk_template: "diskless",
      disks: [],
      nics: [{ network: "pool", ip: "pool" }],
    }),
  ],
  "a reservation": [reserved],
  "a running instance": [{ ...reserved, instance_name: "running.example.com", forthcoming: false }],
  // No node has room for the given disk.
  "a refused commit": [
    reserved,
    { ...commit("reserved.example.com"), disks: [{ size: 1024 * 1024 }] },
  ],
};
