/** The configuration as the object in `config.data`; each level is built when it is read. */
import type { ObjectsByType, Snapshot } from "@ganeti-ts/config";
import type { FilterRule } from "@ganeti-ts/protocol";
import { Entries } from "../wire/value-text.js";
import {
  clusterShape,
  diskShape,
  filterShape,
  groupShape,
  instanceShape,
  networkShape,
  nodeShape,
  type Shape,
} from "./shapes.js";

/** Claims are left out. Each level is built when it is read. */
export function configView(now: Snapshot, filters: readonly FilterRule[]): Entries {
  const keys = [
    ...["version", "cluster", "nodes", "nodegroups", "instances", "networks", "disks", "filters"],
    ...["ctime", "mtime", "serial_no"],
  ] as const;
  const get = (key: string): unknown => {
    switch (key) {
      case "version":
        return now.version;
      case "cluster":
        return clusterShape(now.cluster);
      case "nodes":
        return tableOf(now, "node", nodeShape);
      case "nodegroups":
        return tableOf(now, "group", groupShape);
      case "instances":
        return tableOf(now, "instance", instanceShape);
      case "networks":
        return tableOf(now, "network", networkShape);
      case "disks":
        return tableOf(now, "disk", diskShape);
      case "filters":
        return filtersOf(filters);
      case "ctime":
      case "mtime":
        return now[key];
      case "serial_no":
        return now.serial;
      default:
        return undefined;
    }
  };
  return new Entries(() => keys.map((key) => [key, get(key)] as const), get);
}

function tableOf(now: Snapshot, type: keyof ObjectsByType, shape: Shape): Entries {
  return new Entries(
    () => entriesOf(now.all(type), shape),
    (uuid) => {
      const object = now.get(type, uuid);
      return object === undefined ? undefined : shape(object);
    },
  );
}

function filtersOf(filters: readonly FilterRule[]): Entries {
  const sorted = () => [...filters].sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
  return new Entries(
    () => entriesOf(sorted(), filterShape),
    (uuid) => {
      const rule = filters.find((one) => one.uuid === uuid);
      return rule === undefined ? undefined : filterShape(rule);
    },
  );
}

function* entriesOf(
  objects: Iterable<{ readonly uuid: string }>,
  shape: Shape,
): Iterable<readonly [string, unknown]> {
  for (const object of objects) yield [object.uuid, shape(object)];
}
