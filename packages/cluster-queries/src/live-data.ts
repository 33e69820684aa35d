/** Live data of nodes and the instances they run, collected for one query. */
import { consoleRequest, type Snapshot, shownConsole } from "@ganeti-ts/config";
import type {
  NodeBackend,
  NodeCallArguments,
  NodeCaller,
  NodeInformation,
  RunningInstance,
} from "@ganeti-ts/node-calls";
import { markedOffline, type NodeAnswer } from "@ganeti-ts/node-calls";
import type { InstanceObject, InstanceUuid, Json, NodeObject, NodeUuid } from "@ganeti-ts/protocol";
import { storageKeysOf } from "./storage-keys.js";

/**
 * Kinds of live data: `hypervisor` memory and processors, `storage` free space, `boot` the boot id,
 * `instances` the running instances, `console` the access to an instance's console.
 */
export type LiveNeed = "hypervisor" | "storage" | "boot" | "instances" | "console";

/** The node on which an instance was found running; `undefined`: none. */
export type Sighting = { readonly found: RunningInstance; readonly onPrimary: boolean } | undefined;

/** Answers of nodes that live fields are read from. */
export interface LiveData {
  node(uuid: NodeUuid): NodeAnswer<NodeInformation>;
  instance(instance: InstanceObject): NodeAnswer<Sighting>;
  /** Access to its console, running or not; absent if its node did not answer. */
  console(uuid: InstanceUuid): Json | undefined;
}

/** The needs of a query, and the objects concerned. */
export interface LiveRequest {
  readonly needs: ReadonlySet<LiveNeed>;
  readonly nodes: Iterable<NodeObject>;
  readonly instances: Iterable<InstanceObject>;
}

/**
 * Queries all nodes concurrently, each once for each kind of data; offline nodes are skipped. Cost: one call
 * per node concerned, and for consoles one per instance.
 */
export async function collectLive(
  backend: NodeBackend,
  caller: NodeCaller,
  now: Snapshot,
  given: LiveRequest,
): Promise<LiveData> {
  // The instances may come from a generator, and are read several times.
  const request = { ...given, instances: [...given.instances] };
  const [nodes, sightings] = await Promise.all([
    nodeInformation(backend, caller, now, request),
    allSightings(backend, caller, now, request),
  ]);
  const consoles = request.needs.has("console")
    ? await allConsoles(backend, caller, now, request.instances, sightings)
    : new Map<InstanceUuid, Json>();
  return {
    node: (uuid) => nodes.get(uuid) ?? markedOffline,
    instance: sightings,
    console: (uuid) => consoles.get(uuid),
  };
}

type OfNodes<T> = ReadonlyMap<NodeUuid, NodeAnswer<T>>;

async function askEach<T>(
  nodes: Iterable<NodeObject>,
  ask: (node: NodeObject) => Promise<NodeAnswer<T>>,
): Promise<OfNodes<T>> {
  return new Map(
    await Promise.all(
      [...nodes].map(
        async (node): Promise<[NodeUuid, NodeAnswer<T>]> => [
          node.uuid,
          node.offline ? markedOffline : await ask(node),
        ],
      ),
    ),
  );
}

async function nodeInformation(
  backend: NodeBackend,
  caller: NodeCaller,
  now: Snapshot,
  { needs, nodes }: LiveRequest,
): Promise<OfNodes<NodeInformation>> {
  if (!needs.has("hypervisor") && !needs.has("storage") && !needs.has("boot")) return new Map();
  return askEach(nodes, (node) => askNode(backend, caller, now, node, needs));
}

/** Figures of one node. */
export function askNode(
  backend: NodeBackend,
  caller: NodeCaller,
  now: Snapshot,
  node: NodeObject,
  needs: ReadonlySet<LiveNeed>,
): Promise<NodeAnswer<NodeInformation>> {
  const [name] = now.cluster.enabled_hypervisors;
  const hypervisors =
    needs.has("hypervisor") && name !== undefined
      ? [{ name, hvparams: now.cluster.hvparams[name] ?? {} }]
      : [];
  const storage = needs.has("storage") ? storageKeysOf(now, node) : [];
  return backend.call(node.uuid, "node_info", { storage, hypervisors }, caller);
}

async function allSightings(
  backend: NodeBackend,
  caller: NodeCaller,
  now: Snapshot,
  { needs, instances }: LiveRequest,
): Promise<LiveData["instance"]> {
  if (!needs.has("instances") && !needs.has("console"))
    return () => ({ ok: true, value: undefined });
  const hypervisors = hypervisorsToAsk(now, hypervisorsOf(instances));
  const answers = await askEach(primariesOf(now, instances), ({ uuid }) =>
    backend.call(uuid, "all_instances_info", { hypervisors }, caller),
  );
  return sightingsIn(answers);
}

/** Instances that run on a node, by name. */
export type RunningOnNode = NodeAnswer<{ readonly [name: string]: RunningInstance }>;

/** Answers of nodes, in the order of the questions. */
interface RunningByNode {
  get(node: NodeUuid): RunningOnNode | undefined;
  values(): Iterable<RunningOnNode>;
}

/** Primary nodes of instances in their order, each once. */
export function* primariesOf(
  now: Snapshot,
  instances: Iterable<InstanceObject>,
): Generator<NodeObject> {
  const primaries = new Set<NodeUuid>();
  for (const { primary_node, forthcoming } of instances) {
    if (forthcoming || primaries.has(primary_node)) continue;
    primaries.add(primary_node);
    const node = now.node(primary_node);
    if (node !== undefined) yield node;
  }
}

/** Names of the hypervisors that instances use. */
export function hypervisorsOf(instances: Iterable<InstanceObject>): Set<string> {
  const used = new Set<string>();
  for (const { hypervisor, forthcoming } of instances) if (!forthcoming) used.add(hypervisor);
  return used;
}

/** Hypervisors as nodes are asked about them. */
export const hypervisorsToAsk = (
  now: Snapshot,
  names: Iterable<string>,
): NodeCallArguments<"all_instances_info">["hypervisors"] =>
  Array.from(names, (name) => ({ name, hvparams: now.cluster.hvparams[name] ?? {} }));

/**
 * Looks up the primary node's answer first, then those of all others, which must be there by then. A node without
 * an answer counts as offline.
 */
export function sightingsIn(answers: RunningByNode): LiveData["instance"] {
  let anywhere: ReadonlyMap<string, RunningInstance> | undefined;
  return (instance) => {
    if (instance.forthcoming) return { ok: true, value: undefined };
    const { name, primary_node } = instance;
    const answer = answers.get(primary_node) ?? markedOffline;
    const here = answer.ok && Object.hasOwn(answer.value, name) ? answer.value[name] : undefined;
    if (here !== undefined) return { ok: true, value: { found: here, onPrimary: true } };
    // Most instances run where they should: this is rarely needed.
    anywhere ??= allFound(answers);
    const elsewhere = anywhere.get(name);
    if (elsewhere !== undefined) return { ok: true, value: { found: elsewhere, onPrimary: false } };
    return answer.ok ? { ok: true, value: undefined } : answer;
  };
}

/** By name; of several nodes that run an instance, the last one. */
function allFound(answers: RunningByNode): ReadonlyMap<string, RunningInstance> {
  const found = new Map<string, RunningInstance>();
  for (const answer of answers.values()) {
    if (!answer.ok) continue;
    for (const [name, running] of Object.entries(answer.value)) found.set(name, running);
  }
  return found;
}

async function allConsoles(
  backend: NodeBackend,
  caller: NodeCaller,
  now: Snapshot,
  instances: Iterable<InstanceObject>,
  sighting: LiveData["instance"],
): Promise<ReadonlyMap<InstanceUuid, Json>> {
  const consoles = new Map<InstanceUuid, Json>();
  await Promise.all(
    [...instances].map(async (instance) => {
      if (instance.forthcoming || !sighting(instance).ok) return;
      const request = consoleRequest(now, instance);
      if (request === undefined) return;
      const asked = { instances: { [instance.name]: request } };
      const answer = await backend.call(
        instance.primary_node,
        ...(["instance_console_info", asked, caller] as const),
      );
      const found = answer.ok ? answer.value[instance.name] : undefined;
      if (found !== undefined) consoles.set(instance.uuid, shownConsole(found));
    }),
  );
  return consoles;
}
