/** Detection of broken instances, with the opcodes that repair them. */
import type { Cluster } from "@ganeti-ts/htools";
import type { Job, Opcode } from "../jobs/job-runner.js";
import type { RepairType } from "./repair-policy.js";

export interface Repair {
  readonly type: RepairType;
  readonly opcodes: Job;
  /** The finding that makes it necessary, and what is done about it. */
  readonly why: string;
}

/** Undefined if the instance is healthy or cannot be repaired. Source: Ganeti, HTools/Program/Harep.hs. */
export function neededRepair(cluster: Cluster, index: number): Repair | undefined {
  const { data, facts } = cluster;
  const { name, diskTemplate, primary, secondary } = data.instances[
    index
  ] as (typeof data.instances)[number];
  const isOffline = (node: number) => node >= 0 && facts.offline[node] === 1;
  const nameOf = (node: number) => data.nodes[node]?.name ?? "";
  const withoutPrimary = isOffline(primary);
  const noPrimary = `the primary ${nameOf(primary)} of ${name} is offline`;
  const lost: Repair = {
    ...{ type: "reinstall", opcodes: reinstall(name) },
    why: `${noPrimary}, with the last copy of its disks: they are made new, and its system is installed again`,
  };
  switch (diskTemplate) {
    case "drbd":
      if (withoutPrimary) {
        const why = `${noPrimary}: it fails over to ${nameOf(secondary)}`;
        const opcodes = [failover(name)];
        return isOffline(secondary) ? lost : { type: "failover", opcodes, why };
      }
      if (!isOffline(secondary)) return undefined;
      return {
        ...{ type: "fix-storage", opcodes: [newSecondary(name)] },
        why: `the secondary ${nameOf(secondary)} of ${name} is offline: it gets another one`,
      };
    case "plain":
      return withoutPrimary ? lost : undefined;
    default:
      return undefined;
  }
}

/** The disks are lost: recreate them where hail places the instance, then reinstall its operating system. */
export const reinstall = (instance: string): Opcode[] => [
  {
    OP_ID: "OP_INSTANCE_RECREATE_DISKS",
    instance_name: instance,
    disks: [],
    nodes: [],
    iallocator: "hail",
  },
  { OP_ID: "OP_INSTANCE_REINSTALL", instance_name: instance, force_variant: false },
];

export const failover = (instance: string): Opcode => ({
  OP_ID: "OP_INSTANCE_FAILOVER",
  instance_name: instance,
  shutdown_timeout: 120,
  ignore_consistency: false,
  ignore_ipolicy: false,
  cleanup: false,
});

export const newSecondary = (instance: string): Opcode => ({
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
