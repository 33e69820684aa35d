/** Calls about instances. */
import type { NodeContext } from "../context.js";
import { diskLinks } from "../storage/disk-links.js";
import { diskTypes } from "../storage/disk-types.js";
import { hotplugCalls } from "./hotplug-calls.js";
import type { Hypervisors } from "./hypervisors.js";
import { instanceDisks } from "./instance-disks.js";
import { lifeCalls } from "./life-calls.js";
import { lookCalls } from "./look-calls.js";
import { migrationCalls } from "./migration-calls.js";

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
