/** OP_CLUSTER_VERIFY and OP_CLUSTER_VERIFY_DISKS: jobs that check the configuration, each group, and the disks of its instances. */

import { diskTemplate } from "@ganeti-ts/config";
import { groupLockName } from "@ganeti-ts/locking";
import { compareNaturally, type JsonObject } from "@ganeti-ts/protocol";
import { asShared, groupLock } from "../../unit/locks.js";
import { type ChildJobs, resultWithJobs, type Unit } from "../../unit/unit.js";

/** OP_CLUSTER_VERIFY: submits jobs that check the configuration first and then each group. */
export const verifyCluster: Unit<"OP_CLUSTER_VERIFY"> = {
  opcode: "OP_CLUSTER_VERIFY",

  locks: () => [],

  async run(op, world) {
    const { debug_simulate_errors, error_codes, ignore_errors, verbose } = op;
    const common = { debug_simulate_errors, error_codes, ignore_errors, verbose };
    const { skip_checks, verify_clutter } = op;
    const ofGroup = (group_name: string, more: JsonObject): JsonObject => ({
      OP_ID: "OP_CLUSTER_VERIFY_GROUP",
      group_name,
      skip_checks,
      verify_clutter,
      ...common,
      ...more,
    });
    if (op.group_name !== undefined) {
      const jobs = [[ofGroup(op.group_name, {})]];
      return op.dry_run ? { jobs: [] } : resultWithJobs(world, jobs);
    }
    // In order of names, which appear in the summaries of the jobs.
    const groups = Array.from(world.config.snapshot.groups(), ({ name }) => name as string);
    const jobs: ChildJobs = [
      [{ OP_ID: "OP_CLUSTER_VERIFY_CONFIG", ...common }],
      // They run even if the verification of the configuration fails.
      ...groups
        .sort(compareNaturally)
        .map((name, at) => [ofGroup(name, { depends: [[-1 - at, []]] })]),
    ];
    return op.dry_run ? { jobs: [] } : resultWithJobs(world, jobs);
  },
};

/** OP_CLUSTER_VERIFY_DISKS: submits a job for each group that checks the disks of its instances. */
export const verifyDisks: Unit<"OP_CLUSTER_VERIFY_DISKS"> = {
  opcode: "OP_CLUSTER_VERIFY_DISKS",

  locks: (op, now) =>
    op.group_name === undefined
      ? asShared(groupLockName("nodegroup"))
      : asShared(groupLock(now.expectGroup(op.group_name).uuid)),

  async run(op, world) {
    const now = world.config.snapshot;
    const groups =
      op.group_name === undefined ? [...now.groups()] : [now.expectGroup(op.group_name)];
    // Providers of external storage are not behind the nodes' port.
    const isAllExternal = Array.from(now.instances()).every(
      (instance) => diskTemplate(now, instance) === "ext",
    );
    const { is_strict } = op;
    const jobs = isAllExternal
      ? []
      : groups.map(({ name: group_name }) => [
          { OP_ID: "OP_GROUP_VERIFY_DISKS", group_name, is_strict },
        ]);
    return op.dry_run ? { jobs: [] } : resultWithJobs(world, jobs);
  },
};
