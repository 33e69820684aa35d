/** Calls of a migration, on the source node and on the target node. */
import type { InstanceCalls, InstanceOnNode } from "@ganeti-ts/node-calls";
import { NodeFailure } from "../failure.js";
import type { Handlers } from "../handlers.js";
import { attempt } from "../storage/failures.js";
import type { Hypervisors } from "./hypervisors.js";

export type MigrationCalls = Pick<
  InstanceCalls,
  | "instance_migratable"
  | "migration_info"
  | "accept_instance"
  | "instance_migrate"
  | "instance_get_migration_status"
  | "instance_finalize_migration_src"
  | "instance_finalize_migration_dst"
>;

export function migrationCalls(hypervisors: Hypervisors): Handlers<MigrationCalls> {
  const migrationOf = ({ hypervisor }: InstanceOnNode) => hypervisors(hypervisor).migration;
  return {
    async instance_migratable({ instance }) {
      if (!(await hypervisors(instance.hypervisor).list()).includes(instance.name)) {
        throw new NodeFailure(`Instance ${instance.name} is not running`);
      }
      return null;
    },
    migration_info: ({ instance }) =>
      attempt("Failed to fetch migration information", () => migrationOf(instance).info(instance)),
    async accept_instance({ instance, info, target }) {
      await attempt("Failed to accept instance", () =>
        migrationOf(instance).accept(instance, info, target),
      );
      return null;
    },
    async instance_migrate({ instance, target, live }) {
      await attempt("Failed to migrate instance", () =>
        migrationOf(instance).begin(instance, target, live),
      );
      return null;
    },
    instance_get_migration_status: ({ instance }) =>
      attempt("Failed to get migration status", () => migrationOf(instance).status(instance)),
    async instance_finalize_migration_src({ instance, success }) {
      await attempt("Failed to finalize the migration on the source node", () =>
        migrationOf(instance).endOnSource(instance, success),
      );
      return null;
    },
    async instance_finalize_migration_dst({ instance, info, success }) {
      await attempt("Failed to finalize migration on the target node", () =>
        migrationOf(instance).endOnTarget(instance, info, success),
      );
      return null;
    },
  };
}
