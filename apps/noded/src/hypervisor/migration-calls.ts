/** Calls of a migration, on the source node and on the target node. */
import type { InstanceOnNode } from "@ganeti-ts/node-calls";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { attempt } from "../storage/failures.js";
import type { Hypervisors } from "./hypervisors.js";

export function migrationCalls(hypervisors: Hypervisors) {
  const migrationOf = ({ hypervisor }: InstanceOnNode) => hypervisors(hypervisor).migration;
  return handlers({
    async instance_migratable({ instance }) {
      if (!(await hypervisors(instance.hypervisor).list()).includes(instance.name)) {
        throw new NodeFailure(`Instance ${instance.name} is not running`);
      }
    },
    migration_info: ({ instance }) =>
      attempt("Failed to fetch migration information", () => migrationOf(instance).info(instance)),
    accept_instance: ({ instance, info, target }) =>
      attempt("Failed to accept instance", () =>
        migrationOf(instance).accept(instance, info, target),
      ),
    instance_migrate: ({ instance, target, live }) =>
      attempt("Failed to migrate instance", () =>
        migrationOf(instance).begin(instance, target, live),
      ),
    instance_get_migration_status: ({ instance }) =>
      attempt("Failed to get migration status", () => migrationOf(instance).status(instance)),
    instance_finalize_migration_src: ({ instance, success }) =>
      attempt("Failed to finalize the migration on the source node", () =>
        migrationOf(instance).endOnSource(instance, success),
      ),
    instance_finalize_migration_dst: ({ instance, info, success }) =>
      attempt("Failed to finalize migration on the target node", () =>
        migrationOf(instance).endOnTarget(instance, info, success),
      ),
  });
}
