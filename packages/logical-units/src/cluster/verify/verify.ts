/** OP_CLUSTER_VERIFY: submits jobs that check the configuration first and then each group. */
import { compareNaturally, type JsonObject } from "@ganeti-ts/protocol";
import { type ChildJobs, resultWithJobs, type Unit } from "../../unit/unit.js";

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
