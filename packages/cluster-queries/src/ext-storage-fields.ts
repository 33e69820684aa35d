/** Query fields of external storage providers, combined from the answers of all nodes. */
import type { Snapshot } from "@ganeti-ts/config";
import type { ExtStorageDefinition, NodeBackend, NodeCaller } from "@ganeti-ts/node-calls";
import { compareNaturally, type Json, type NodeUuid } from "@ganeti-ts/protocol";
import { type Field, field } from "./field.js";

export interface ExtStorageItem {
  readonly name: string;
  /** Definitions of this name, for each node that answered. */
  readonly found: ReadonlyMap<NodeUuid, readonly ExtStorageDefinition[]>;
}

/** Queries every online, vm-capable node. Providers are sorted naturally. */
export async function collectExtStorage(
  backend: NodeBackend,
  caller: NodeCaller,
  now: Snapshot,
): Promise<ExtStorageItem[]> {
  const answers = await Promise.all(
    Array.from(now.nodes())
      .filter(({ offline, vm_capable }) => !offline && vm_capable)
      .map(async ({ uuid }) => ({
        uuid,
        said: await backend.call(uuid, "extstorage_diagnose", {}, caller),
      })),
  );
  const good = answers.flatMap(({ uuid, said }) => (said.ok ? [{ uuid, list: said.value }] : []));
  const names = new Set(good.flatMap(({ list }) => list.map(({ name }) => name)));
  return [...names].sort(compareNaturally).map((name) => ({
    name,
    found: new Map(good.map(({ uuid, list }) => [uuid, list.filter((one) => one.name === name)])),
  }));
}

const isValidOn = (item: ExtStorageItem, node: NodeUuid): boolean =>
  item.found.get(node)?.[0]?.valid === true;

/** By group: valid on all of its nodes that answered, at least one. */
const groupStatus = (item: ExtStorageItem, now: Snapshot): Json =>
  Object.fromEntries(
    Array.from(now.groups(), ({ uuid, name }) => {
      const answered = now.nodesOfGroup(uuid).filter((node) => item.found.has(node.uuid));
      return [name, answered.length > 0 && answered.every((node) => isValidOn(item, node.uuid))];
    }),
  );

/** Parameters common to all nodes; empty if the provider is invalid on any node. */
function commonParameters({ found }: ExtStorageItem): Json {
  const firsts = Array.from(found.values(), ([first]) => first);
  if (!firsts.every((one) => one?.valid)) return [];
  const [first, ...others] = firsts.map((one) => one?.parameters ?? []);
  return (first ?? []).filter(([name]) => others.every((list) => list.some(([n]) => n === name)));
}

const nodeStatus = ({ found }: ExtStorageItem): Json =>
  Object.fromEntries(
    Array.from(found, ([uuid, definitions]) => [
      uuid,
      definitions.map(({ path, valid, fault, parameters }) => [path, valid, fault, parameters]),
    ]),
  );

export const extStorageFields: readonly Field<ExtStorageItem>[] = [
  field(["name", "Name", "text", "ExtStorage provider name"], ({ name }) => name),
  field(["node_status", "NodeStatus", "other", "Status from node"], nodeStatus),
  field(["nodegroup_status", "NodegroupStatus", "other", "Overall Nodegroup status"], groupStatus),
  field(["parameters", "Parameters", "other", "ExtStorage provider parameters"], commonParameters),
];
