import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { handlers, isNamed } from "../../handlers.js";
import { directoryUnits } from "./directories.js";
import { groupUnits, physicalUnits } from "./lvm-units.js";
import type { StorageUnits } from "./storage-units.js";

export function unitCalls(context: NodeContext) {
  const types = {
    "lvm-pv": () => physicalUnits(context),
    "lvm-vg": () => groupUnits(context),
    file: (directories) => directoryUnits(context, directories),
    sharedfile: (directories) => directoryUnits(context, directories),
    gluster: (directories) => directoryUnits(context, directories),
  } as const satisfies Readonly<Record<string, (directories: readonly string[]) => StorageUnits>>;
  const unitsOf = (type: string, directories: readonly string[]): StorageUnits => {
    if (!isNamed(types, type)) throw new NodeFailure(`Unknown storage type: '${type}'`);
    return types[type](directories);
  };
  return handlers({
    async storage_list({ type, directories, name, fields }) {
      const units = await unitsOf(type, directories).list(name);
      return units.map((unit) => fields.map((field) => unit[field]));
    },
    async storage_modify({ type, directories, name, changes }) {
      const { allocatable, ...others } = changes;
      const units = unitsOf(type, directories);
      const unable = Object.keys(units.setAllocatable === undefined ? changes : others);
      if (unable.length > 0) {
        const shown = unable.map((field) => `'${field}'`).join(", ");
        throw new NodeFailure(`Unable to modify the following fields: [${shown}]`);
      }
      if (allocatable === undefined) return;
      if (typeof allocatable !== "boolean") {
        throw new NodeFailure(
          `allocatable must be true or false, not ${JSON.stringify(allocatable)}`,
        );
      }
      await units.setAllocatable?.(name, allocatable);
    },
    async storage_execute({ type, directories, name, operation }) {
      const units = unitsOf(type, directories);
      if (units.fixConsistency === undefined) {
        throw new NodeFailure(`Unable to execute '${operation}' on storage of type '${type}'`);
      }
      await units.fixConsistency(name);
    },
  });
}
