/** Calls of allocators: external programs, or the built-in one. */
import type { Snapshot } from "@ganeti-ts/config";
import type { Cluster } from "@ganeti-ts/htools";
import { ExecError, OperationError, PrereqError } from "@ganeti-ts/job-queue";
import type { NodeBackend, NodeCaller } from "@ganeti-ts/node-calls";
import {
  type AllocatorRequest,
  type ClusterData,
  type DiskTemplate,
  encodeAnswer,
  type InstanceUuid,
  isMirrored,
  type Json,
  type JsonObject,
  type NodeUuid,
} from "@ganeti-ts/protocol";
import { checkedReading, type Reading, readAnswerText } from "./answer.js";
import { type AllocatorParameters, answerBuiltIn } from "./built-in.js";
import { diskSpaceMib } from "./disk-space.js";
import { inTurns, type Turn } from "./in-turns.js";
import { claimedEntries } from "./instance-entries.js";
import { nodesOf } from "./instance-nodes.js";
import { KeptEntries } from "./kept-entries.js";
import { hasFigures, type LiveQuestion, liveNodes } from "./live-nodes.js";
import { messageText } from "./message-text.js";
import { allocatorNames, builtInName, isAlwaysBuiltIn } from "./names.js";
import type { NodeFigures } from "./node-figures.js";
import { allocationFault } from "./recheck.js";
import { type RequestState, requestState } from "./request-state.js";
import { type RequestEntry, type WantedInstance, wantedEntry } from "./requests.js";
import {
  type Allocation,
  type Balance,
  type Capacity,
  type Evacuation,
  evacuationOf,
  type Failed,
  failedOf,
  type MultiAllocation,
  type Placed,
  placedOf,
  type Said,
} from "./results.js";
import { type AllocatorRunner, noPrograms } from "./runner.js";
import { storageKind } from "./storage-claims.js";

/** Context of a call: the caller, the cluster and the allocator. */
export interface Asking {
  readonly now: Snapshot;
  readonly caller: NodeCaller;
  /** Absent or `.`: the cluster's defaults for the request. */
  readonly iallocator?: string | undefined;
  /** UUIDs of instances and claims to leave out. */
  readonly without?: ReadonlySet<InstanceUuid>;
}

/** Ports of `Allocators`: nodes to ask for figures, and a runner of programs. */
interface AllocatorPorts {
  readonly nodes: NodeBackend;
  /** Keeps the figures of nodes. Default: all nodes are queried for each request. */
  readonly figures?: NodeFigures;
  /** Default: no programs. */
  readonly runner?: AllocatorRunner;
  /** Lets other work run during long computations of the built-in hail. Default: they run in one piece. */
  readonly turn?: Turn | undefined;
}

/** Restrictions of a placement. */
interface PlaceOptions {
  /** Name or UUID of the only group to consider. */
  readonly group?: string | undefined;
  /** Names of the only nodes to consider. */
  readonly onlyNodes?: readonly string[] | undefined;
}

/**
 * Requests to allocators. All methods throw PrereqError `insufficient_resources` if no allocator finds a solution
 * (with the message of each), `environment_error` for a wrong number of nodes, `wrong_input` if there is no allocator;
 * ExecError if the only allocator fails to run or to answer, or a node does not report its figures.
 */
export class Allocators {
  readonly #nodes: NodeBackend;
  readonly #runner: AllocatorRunner;
  readonly #figures: NodeFigures | undefined;
  readonly #turn: Turn | undefined;
  /** By kind of storage and hypervisor, on which the figures of nodes depend. */
  readonly #kept = new Map<string, KeptEntries>();

  constructor({ nodes, runner = noPrograms, figures, turn }: AllocatorPorts) {
    this.#nodes = nodes;
    this.#runner = runner;
    this.#figures = figures;
    this.#turn = turn;
  }

  /** Discards the figures of nodes that have refused a placement: the next one queries them first. */
  doubt(nodes: Iterable<NodeUuid>): void {
    this.#figures?.doubt(nodes);
  }

  /** Whether there is an allocator of that name. */
  async exists(name: string): Promise<boolean> {
    return name === builtInName || (await this.#runner.find(name)) !== undefined;
  }

  async allocate(
    asking: Asking,
    wanted: WantedInstance,
    { group, onlyNodes }: PlaceOptions = {},
  ): Promise<Allocation> {
    const request: RequestEntry = {
      type: "allocate",
      ...wantedEntry(wanted),
      group_name: group ?? null,
      ...(onlyNodes && { "restrict-to-nodes": onlyNodes }),
    };
    const { result, ...said } = await this.#ask(asking, request);
    return { nodes: result as string[], ...said };
  }

  async multiAllocate(
    asking: Asking,
    wanted: readonly WantedInstance[],
    { group }: Pick<PlaceOptions, "group"> = {},
  ): Promise<MultiAllocation> {
    const request: RequestEntry = {
      type: "multi-allocate",
      instances: wanted.map(wantedEntry),
      ...(group === undefined ? {} : { group_name: group }),
    };
    const { result, ...said } = await this.#ask(asking, request);
    const [placed, failed] = result as [Placed[], (string | Failed)[]];
    return { ...said, placed: placed.map(placedOf), failed: failed.map(failedOf) };
  }

  /** Chooses a new secondary for a drbd instance, a new primary for an externally mirrored one. */
  async relocate(asking: Asking, instance: InstanceUuid): Promise<Allocation> {
    const { now } = asking;
    const known = now.expectInstance(instance);
    const disks = now.disksOf(known);
    const { primary, secondaries } = nodesOf(now, known.uuid);
    const isPair = disks.some(({ dev_type }) => isMirrored(dev_type));
    if (isPair && secondaries.length !== 1) {
      throw new PrereqError("wrong_state", "Instance has not exactly one secondary node");
    }
    const request: RequestEntry = {
      type: "relocate",
      name: known.name ?? known.uuid,
      disk_space_total: diskSpaceMib(
        disks.map(({ dev_type, size }) => ({ type: dev_type ?? null, size: size ?? 0 })),
      ),
      required_nodes: 1,
      relocate_from: isPair ? secondaries : primary,
    };
    const template = disks[0]?.dev_type;
    const { result, ...said } = await this.#ask(asking, request, { template });
    const nodes = result as string[];
    checkGroups(now, [...request.relocate_from, ...primary], [...nodes, ...primary]);
    return { ...said, nodes };
  }

  /** Chooses a secondary for an instance without a mirror. */
  async allocateSecondary(asking: Asking, instance: InstanceUuid): Promise<Allocation> {
    const { name, uuid } = asking.now.expectInstance(instance);
    const request = { type: "allocate-secondary", name: name ?? uuid } as const;
    const { result, ...said } = await this.#ask(asking, request, { template: "drbd" });
    return { ...said, nodes: [result as string] };
  }

  async nodeEvacuate(
    asking: Asking,
    instances: readonly string[],
    mode: "primary-only" | "secondary-only" | "all",
    { ignoreSoftErrors = false, purpose = "node evacuation" } = {},
  ): Promise<Evacuation> {
    const request = { type: "node-evacuate", instances, evac_mode: mode } as const;
    const parameters = ignoreSoftErrors ? { "ignore-soft-errors": null } : {};
    return evacuationOf(await this.#ask(asking, request, { purpose, parameters }));
  }

  /** Groups by UUID; empty: any other group. */
  async changeGroup(
    asking: Asking,
    instances: readonly string[],
    targetGroups: readonly string[],
    purpose: string,
  ): Promise<Evacuation> {
    const request = { type: "change-group", instances, target_groups: targetGroups } as const;
    return evacuationOf(await this.#ask(asking, request, { purpose }));
  }

  /** Moves that balance one group; negative: no limit. */
  async balance(asking: Asking, group: string | null, movesMax: number): Promise<Balance> {
    const request = { type: "balance", max_moves: movesMax, group_name: group } as const;
    const said = await this.#ask(withoutClaims(asking), request, { purpose: "moves" });
    const figures = (said.result as unknown[])[3] as JsonObject;
    return { ...evacuationOf(said), figures };
  }

  async capacity(
    asking: Asking,
    wanted: WantedInstance,
    { group, onlyNodes, countMax }: PlaceOptions & { readonly countMax?: number | undefined } = {},
  ): Promise<Capacity> {
    const request: RequestEntry = {
      type: "capacity",
      ...wantedEntry(wanted),
      group_name: group ?? null,
      max_count: countMax ?? null,
      ...(onlyNodes && { "restrict-to-nodes": onlyNodes }),
    };
    const { result, ...said } = await this.#ask(asking, request, { purpose: "capacity" });
    const [count, placed, figures] = result as [number, Placed[], JsonObject];
    return { ...said, count, placed: placed.map(placedOf), figures };
  }

  /** The message for an allocator program. */
  async message(asking: Asking, request: RequestEntry): Promise<string> {
    return messageText((await this.#state(asking, request)).entries(), request);
  }

  /** Cluster and request in the form that the built-in hail takes; valid until the next call. */
  async asked(asking: Asking, request: RequestEntry): Promise<Asked> {
    const { kept, request: decoded } = await this.#state(asking, request);
    return { cluster: kept.cluster, request: decoded };
  }

  /** The cluster for plans of moves, with the present figures of its nodes, and without claims. */
  async cluster(asking: Asking): Promise<ClusterData> {
    const request = { type: "balance", max_moves: 0, group_name: null } as const;
    return (await this.#state(withoutClaims(asking), request)).kept.data;
  }

  /** The unchecked answer of the first allocator. */
  async rawAnswer(asking: Asking, request: RequestEntry): Promise<string> {
    const [name = ""] = allocatorNames(asking.now.cluster, request.type, asking.iallocator);
    const state = await this.#state(asking, request);
    const run = await this.#run(name, state, request, asking, parametersOf(asking.now, {}));
    if (!run.ok) throw new ExecError(run.message);
    return run.text();
  }

  /** The kept cluster, updated for a request. O(changed), and copies of columns. */
  async #state(
    { now, caller, without }: Asking,
    request: RequestEntry,
    template?: DiskTemplate | undefined,
  ): Promise<RequestState> {
    const question = {
      diskTemplate: "disk_template" in request ? (request.disk_template as DiskTemplate) : template,
      hypervisor: "hypervisor" in request ? request.hypervisor : undefined,
    };
    const live = await this.#live(now, caller, question);
    const { enabled_disk_templates, enabled_hypervisors } = now.cluster;
    // Requests about the default hypervisor share one cluster with those that name it.
    const { diskTemplate = enabled_disk_templates[0], hypervisor = enabled_hypervisors[0] } =
      question;
    const key = `${storageKind(diskTemplate)}/${hypervisor}`;
    const known = this.#kept.get(key);
    const entries = known ?? new KeptEntries(now, live);
    this.#kept.set(key, entries);
    known?.update(now, live);
    return requestState(entries, request, without);
  }

  #live(now: Snapshot, caller: NodeCaller, question: LiveQuestion) {
    if (this.#figures !== undefined) return this.#figures.of(now, caller, question);
    return liveNodes(now, [...now.nodes()].filter(hasFigures), this.#nodes, caller, question);
  }

  /** Calls one allocator after the other until one has a solution. */
  async #ask(
    asking: Asking,
    request: RequestEntry,
    { purpose = "nodes", parameters = {}, template }: AskOptions = {},
  ): Promise<Said & { readonly result: Json }> {
    const names = allocatorNames(asking.now.cluster, request.type, asking.iallocator);
    const state = await this.#state(asking, request, template);
    const failures: string[] = [];
    for (const name of names) {
      const reading = await this.#read(
        name,
        state,
        request,
        asking,
        parametersOf(asking.now, parameters),
      );
      if (reading.kind === "success") {
        return { allocator: name, info: reading.info, result: reading.result };
      }
      if (names.length === 1) throw errorOf(reading, name, purpose);
      failures.push(`'${name}': ${reading.kind === "refusal" ? reading.info : reading.message}`);
    }
    throw new PrereqError(
      "insufficient_resources",
      `Can't compute ${purpose} using iallocators ${failures.join("; ")}`,
    );
  }

  async #read(
    name: string,
    state: RequestState,
    request: RequestEntry,
    asking: Asking,
    parameters: AllocatorParameters,
  ): Promise<Reading> {
    const run = await this.#run(name, state, request, asking, parameters);
    if (!run.ok) return { kind: "failure", message: run.message };
    if (run.reading !== undefined) return run.reading;
    const reading = checkedReading(readAnswerText(run.text()), name, request);
    if (reading.kind !== "success" || request.type !== "allocate") return reading;
    const fault = allocationFault(state.entries(), request, reading.result as string[]);
    return fault === undefined ? reading : { kind: "refusal", info: fault };
  }

  async #run(
    name: string,
    state: RequestState,
    request: RequestEntry,
    { caller: { signal } }: Asking,
    parameters: AllocatorParameters,
  ): Promise<
    | { readonly ok: true; text(): string; readonly reading?: Reading }
    | { readonly ok: false; readonly message: string }
  > {
    const failed = (message: string) => ({
      ok: false as const,
      message: `Failure while running the iallocator script: ${message}`,
    });
    const isBuiltIn = isAlwaysBuiltIn(name, request.type);
    const path = isBuiltIn ? undefined : await this.#runner.find(name);
    if (path !== undefined) {
      const text = messageText(state.entries(), request);
      const run = await this.#runner.run(path, text, optionsOf(parameters), signal);
      if (run.ok) return { ok: true, text: () => run.stdout };
      return failed(`iallocator module '${name}' failed: ${run.reason}, output '${run.output}'`);
    }
    if (name !== builtInName) {
      return failed(`iallocator module '${name}' not found in the search path`);
    }
    const parts = answerBuiltIn(state.kept, state.request, parameters);
    const built = await inTurns(parts, this.#turn, signal);
    if (!built.ok) {
      return failed(
        `iallocator module '${name}' failed: exited with exit code 2, output '${built.message}'`,
      );
    }
    const { answer } = built;
    const { info } = answer;
    return {
      ok: true,
      text: () => encodeAnswer(answer),
      reading: answer.success
        ? { kind: "success", info, result: answer.result as Json }
        : { kind: "refusal", info },
    };
  }
}

/** A cluster and a request to the placement core. */
interface Asked {
  readonly cluster: Cluster;
  readonly request: AllocatorRequest;
}

/** Leaves claims out, because they are not instances that could be moved. */
const withoutClaims = ({ now, ...asking }: Asking): Asking => ({
  ...{ now, ...asking },
  without: new Set(
    [...now.claims()].flatMap((claim) => claimedEntries(now, claim)).map(({ uuid }) => uuid),
  ),
});

interface AskOptions {
  /** Name of the computation in the text of an error. */
  readonly purpose?: string;
  readonly parameters?: AllocatorParameters;
  /** Template whose storage is queried, if the request does not determine it. */
  readonly template?: DiskTemplate | undefined;
}

function errorOf(
  reading: Exclude<Reading, { kind: "success" }>,
  name: string,
  purpose: string,
): OperationError {
  switch (reading.kind) {
    case "refusal":
      return new PrereqError(
        "insufficient_resources",
        `Can't compute ${purpose} using iallocator '${name}': ${reading.info}`,
      );
    case "failure":
      return new ExecError(reading.message);
    case "wrong":
      if (reading.isCount) return new PrereqError("environment_error", reading.message);
      return new OperationError("ResultValidationError", [reading.message]);
  }
}

const parametersOf = (
  { cluster }: Snapshot,
  parameters: AllocatorParameters,
): AllocatorParameters => ({
  ...(cluster.default_iallocator_params as AllocatorParameters),
  ...parameters,
});

/** `--name=value`, or `--name` without a value. */
const optionsOf = (parameters: AllocatorParameters): readonly string[] =>
  Object.entries(parameters).map(([name, value]) =>
    value === null || value === "" ? `--${name}` : `--${name}=${value}`,
  );

/** A relocated instance must stay in its group. */
function checkGroups(now: Snapshot, before: readonly string[], after: readonly string[]): void {
  const groupsOf = (names: readonly string[]) => {
    const groups = new Set<string>();
    for (const name of names) {
      const node = now.findNode(name);
      if (node !== undefined) groups.add(now.group(node.group)?.name ?? node.group);
    }
    return [...groups].sort();
  };
  const original = groupsOf(before);
  const found = groupsOf(after);
  if (found.every((group) => original.includes(group))) return;
  throw new OperationError("ResultValidationError", [
    `Groups of nodes returned by iallocator (${found.join(", ")}) differ from original groups (${original.join(", ")})`,
  ]);
}
