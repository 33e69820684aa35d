/** Calls about instances. */

import type { InstanceOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { diskLinks } from "../storage/disk-links.js";
import { diskTypes } from "../storage/disk-types.js";
import { attempt } from "../storage/failures.js";
import { hotplugCalls } from "./hotplug-calls.js";
import type { Hypervisors } from "./hypervisors.js";
import { instanceDisks } from "./instance-disks.js";
import { lifeCalls } from "./life-calls.js";
import { lookCalls } from "./look-calls.js";

export function instanceCalls(context: NodeContext, hypervisors: Hypervisors) {
  const disks = instanceDisks(diskTypes(context), diskLinks(context));
  return {
    ...lookCalls(hypervisors),
    ...lifeCalls({ context, hypervisors, disks }),
    ...migrationCalls(hypervisors),
    ...hotplugCalls(hypervisors),
    // Nodes of this daemon have no metadata service.
    instance_metadata_modify: async () => null,
  };
}

function migrationCalls(hypervisors: Hypervisors) {
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
