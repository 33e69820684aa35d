/** Decoder for the `request` of a message. */
import type { ClusterData, GroupData, InstanceData } from "../cluster-data.js";
import { MessageError } from "../errors.js";
import { RecordReader, wrong } from "../json/record-reader.js";
import { decodeNewInstance, instanceOwner } from "./decode-instance.js";
import { aliasesOf, indicesNamed, type NamesAt } from "./names.js";
import { type AllocatorRequest, evacuationModes, type Wanted } from "./request.js";

const requestOwner = "invalid request dict: ";

/** The parts of a cluster that names refer to. */
type Named = Pick<ClusterData, "groups" | "nodes" | "instances">;

/**
 * Reads a request; every name must be known, except a group to allocate in and nodes to restrict to. @throws
 * MessageError `wrong_message`, `unknown_name`
 */
export function decodeRequest(record: RecordReader, cluster: Named): AllocatorRequest {
  const request = new RecordReader(record.document, record.object, requestOwner);
  const type = request.string("type");
  switch (type) {
    case "allocate": {
      const name = request.string("name");
      const groupName = request.anonymous().optionalString("group_name");
      const restrictToNodes = request.anonymous().optionalStrings("restrict-to-nodes");
      return { type, groupName, restrictToNodes, ...decodeWanted(request, name) };
    }
    case "multi-allocate": {
      const elements = request.items("instances");
      for (const element of elements) request.mustBeObject("instances", element);
      let groupName: string | undefined;
      const wanted = elements.map((element) => {
        const each = new RecordReader(request.document, element, requestOwner);
        const name = each.string("name");
        // The group applies to all instances, but Ganeti reads it with each.
        groupName = request.anonymous().optionalString("group_name");
        return decodeWanted(each, name);
      });
      return { type, wanted, groupName };
    }
    case "capacity": {
      const name = request.string("name");
      const groupName = request.anonymous().optionalString("group_name");
      const restrictToNodes = request.anonymous().optionalStrings("restrict-to-nodes");
      const countMax = request.anonymous().optionalInteger("max_count") ?? -1;
      return { type, groupName, restrictToNodes, countMax, ...decodeWanted(request, name) };
    }
    case "allocate-secondary":
      return { type, instanceIndex: instanceNamed(cluster, request.string("name")) };
    case "relocate": {
      const instanceIndex = instanceNamed(cluster, request.string("name"));
      const requiredNodes = request.integer("required_nodes");
      const relocateFrom = nodesNamed(cluster, request.strings("relocate_from"));
      return { type, instanceIndex, requiredNodes, relocateFrom };
    }
    case "node-evacuate": {
      const instanceIndices = instancesNamed(cluster, request.strings("instances"));
      const mode = request.choice("evac_mode", "EvacMode", evacuationModes);
      return { type, instanceIndices, mode };
    }
    case "change-group": {
      const instanceIndices = instancesNamed(cluster, request.strings("instances"));
      const targetGroups = groupsNamed(cluster, request.strings("target_groups"));
      return { type, instanceIndices, targetGroups };
    }
    case "balance":
      return decodeBalance(request.anonymous(), cluster);
    default:
      throw wrong(`Invalid request type '${type}'`);
  }
}

/** Missing values get the defaults of `hbal`. */
function decodeBalance(request: RecordReader, cluster: Named): AllocatorRequest {
  return {
    type: "balance",
    movesMax: request.optionalInteger("max_moves") ?? -1,
    groupName: request.optionalString("group_name"),
    evacuationMode: request.optionalBoolean("evac_mode") ?? false,
    diskMoves: request.optionalBoolean("disk_moves") ?? true,
    instanceMoves: request.optionalBoolean("instance_moves") ?? true,
    restrictedMigration: request.optionalBoolean("restricted_migration") ?? false,
    ignoreSoftErrors: request.optionalBoolean("ignore_soft_errors") ?? false,
    minGain: request.optionalDouble("min_gain") ?? 0.01,
    minGainLimit: request.optionalDouble("min_gain_limit") ?? 0.1,
    minScore: request.optionalDouble("min_score") ?? 1e-9,
    selectedIndices: instancesNamed(cluster, request.optionalStrings("select_instances") ?? []),
    excludedIndices: instancesNamed(cluster, request.optionalStrings("exclude_instances") ?? []),
  };
}

function decodeWanted(record: RecordReader, name: string): Wanted {
  const requiredNodes = record.integer("required_nodes");
  const { document, object } = record;
  const instance = new RecordReader(document, object, instanceOwner(name));
  return { requiredNodes, instance: decodeNewInstance(instance, name) };
}

/** Full names only; of instances with the same name the last. */
function instanceNamed(cluster: Named, name: string): number {
  for (let index = cluster.instances.length - 1; index >= 0; index--) {
    if ((cluster.instances[index] as InstanceData).name === name) return index;
  }
  throw new MessageError("unknown_name", `Unknown instance '${name}'`);
}

function instancesNamed(cluster: Named, names: readonly string[]): number[] {
  return hostsNamed(cluster, cluster.instances, names);
}

function nodesNamed(cluster: Named, names: readonly string[]): number[] {
  return hostsNamed(cluster, cluster.nodes, names);
}

/** Nodes or instances, by full name or alias. */
function hostsNamed(
  cluster: Named,
  hosts: readonly { readonly name: string }[],
  names: readonly string[],
): number[] {
  if (names.length === 0) return [];
  const alias = aliasesOf(namesOf(cluster.nodes), namesOf(cluster.instances));
  return allNamed(names, hosts.length, (index) => {
    const { name } = hosts[index] as { readonly name: string };
    return [name, alias(name)];
  });
}

function namesOf(things: readonly { readonly name: string }[]): string[] {
  return things.map(({ name }) => name);
}

/** Groups, by name or UUID. */
function groupsNamed(cluster: Named, names: readonly string[]): number[] {
  return allNamed(names, cluster.groups.length, (index) => {
    const { name, uuid } = cluster.groups[index] as GroupData;
    return [name, uuid];
  });
}

function allNamed(names: readonly string[], count: number, namesAt: NamesAt): number[] {
  const indices = indicesNamed(names, count, namesAt);
  const unknown = indices.indexOf(-1);
  if (unknown < 0) return indices;
  const text = `Wrong number of elems found with name ${names[unknown]}`;
  throw new MessageError("unknown_name", text);
}
