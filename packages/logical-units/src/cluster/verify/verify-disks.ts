/** OP_CLUSTER_VERIFY_DISKS: submits a job for each group that checks the disks of its instances. */
import { diskTemplate } from "@ganeti-ts/config";
import { groupLockName } from "@ganeti-ts/locking";
import { asShared, groupLock } from "../../unit/locks.js";
import { resultWithJobs, type Unit } from "../../unit/unit.js";

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
