/** Detection of broken instances, with the opcodes that repair them. */
import type { Cluster } from "@ganeti-ts/htools";
import type { Job, Opcode } from "../jobs/job-runner.js";
import type { RepairType } from "./repair-policy.js";

export interface Repair {
  readonly type: RepairType;
  readonly opcodes: Job;
}

/** Undefined if the instance is healthy or cannot be repaired. Source: Ganeti, HTools/Program/Harep.hs. */
export function neededRepair(cluster: Cluster, index: number): Repair | undefined {
  const { data, facts } = cluster;
  const { name, diskTemplate, primary, secondary } = data.instances[
    index
  ] as (typeof data.instances)[number];
  const isOffline = (node: number) => node >= 0 && facts.offline[node] === 1;
  const withoutPrimary = isOffline(primary);
  switch (diskTemplate) {
    case "drbd":
      if (withoutPrimary) {
        return isOffline(secondary)
          ? { type: "reinstall", opcodes: reinstall(name) }
          : { type: "failover", opcodes: [failover(name)] };
      }
      if (!isOffline(secondary)) return undefined;
      return { type: "fix-storage", opcodes: [newSecondary(name)] };
    case "plain":
      return withoutPrimary ? { type: "reinstall", opcodes: reinstall(name) } : undefined;
    default:
      return undefined;
  }
}

/** The disks are lost: recreate them where hail places the instance, then reinstall its operating system. */
const reinstall = (instance: string): Opcode[] => [
  {
    OP_ID: "OP_INSTANCE_RECREATE_DISKS",
    instance_name: instance,
    disks: [],
    nodes: [],
    iallocator: "hail",
  },
  { OP_ID: "OP_INSTANCE_REINSTALL", instance_name: instance, force_variant: false },
];

const failover = (instance: string): Opcode => ({
  OP_ID: "OP_INSTANCE_FAILOVER",
  instance_name: instance,
  shutdown_timeout: 120,
  ignore_consistency: false,
  ignore_ipolicy: false,
  cleanup: false,
});

const newSecondary = (instance: string): Opcode => ({
  OP_ID: "OP_INSTANCE_REPLACE_DISKS",
  instance_name: instance,
  early_release: false,
  ignore_ipolicy: false,
  mode: "replace_new_secondary",
  disks: [],
  iallocator: "hail",
});

/**
 * Precedes the opcodes of a repair. The delay runs on the master and holds no locks, so the instance can be
 * tagged with the new job while it runs.
 */
export const delay = (seconds: number): Opcode => ({
  OP_ID: "OP_TEST_DELAY",
  duration: seconds,
  on_master: true,
  on_nodes: [],
  repeat: 0,
  interruptible: false,
  no_locks: false,
});
