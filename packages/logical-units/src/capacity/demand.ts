/**
 * Demands on nodes: checked against the capacity that is free and not reserved, and reserved in the
 * same step.
 */
import type { ConfigChange, Configuration, Snapshot } from "@ganeti-ts/config";
import {
  capacityFaults,
  fileStorage,
  filledNdparams,
  hypervisorOnNode,
  limitedOn,
  shareOf,
  sumOfShares,
} from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { NodeInformation } from "@ganeti-ts/node-calls";
import type { NodeUuid } from "@ganeti-ts/protocol";
import { nodeName } from "../instance/state.js";
import { ask, valueOrRefuse } from "../unit/effects.js";
import { contextAt, type UnitContext, type World } from "../unit/unit.js";
import type { Interval } from "./spoken-for.js";
import { freeMemoryMib, givenMemory, intervalOf, reservationsOn, spokenFor } from "./spoken-for.js";

export interface Demand {
  readonly node: NodeUuid;
  readonly memory?: {
    readonly mib: number;
    /** Takes up to this much if the node has more than the minimum. */
    readonly upToMib?: number | undefined;
    /** The node takes what it has free, up to that, where none of its memory is promised to others. */
    readonly isLeftToNode?: boolean;
    readonly hypervisor: string;
    /** Completes error texts: `starting instance web1`. */
    readonly purpose: string;
  };
  /** MiB by volume group; the empty name stands for disks in files. */
  readonly volumes?: ReadonlyMap<string, number>;
  /** Number of spindles, where storage is exclusive. */
  readonly spindles?: number;
  readonly limited?: LimitedDemand;
}

/**
 * Demand on resources that the group's policy limits by ratios. Checked only on nodes with
 * reservations, and for new reservations.
 */
interface LimitedDemand {
  readonly vcpus: number;
  readonly spindleUse: number;
  readonly purpose: string;
  readonly reserves?: boolean;
}

export interface Taking<T> {
  readonly demands: readonly Demand[];
  /** Instances whose own reservation is not counted. */
  readonly except?: readonly string[];
  /**
   * Changes of the configuration that record the demands as met, given the memory granted to each;
   * pure.
   */
  readonly decide: (
    now: Snapshot,
    memoryMib: readonly number[],
  ) => {
    readonly changes: readonly ConfigChange[];
    readonly value: T;
  };
}

/** Maximum number of attempts after losing a race before the demand is refused. */
const triesMax = 30;

/**
 * Applies the changes of `decide` if all demands can be met together; concurrent callers never get
 * the same capacity. @throws PrereqError `insufficient_resources`
 */
export async function take<T>(world: World, taking: Taking<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const before = world.config.snapshot;
    const given = givenUpOf(world.config);
    const seen = given.count;
    const context = contextAt(world, before);
    const except = new Set(taking.except);
    const figures = await Promise.all(taking.demands.map((one) => figuresOf(context, one, except)));
    try {
      const { value } = await world.config.change((now) => {
        const isStale = given.count !== seen;
        const interval = intervalOf(before, now);
        const memoryMib = taking.demands.map((demand, at) => {
          const counted = countedLimits(now, demand, except);
          const known = figures[at] as Figures;
          return checked(interval, { ...demand, ...counted }, known, except, isStale);
        });
        return taking.decide(now, memoryMib);
      }, world);
      return value;
    } catch (error) {
      if (!(error instanceof Shortage)) throw error;
      if (!error.isDoubtful || tries >= triesMax) {
        // Kept figures have misled whoever chose these nodes.
        world.allocators.doubt(taking.demands.map(({ node }) => node));
        throw error.refusal;
      }
      await somethingNew(world);
    }
  }
}

/** Checks whether the demands would fit, without reserving anything. */
export const checkRoom = (
  world: World,
  demands: readonly Demand[],
  except: readonly string[] = [],
) => take(world, { demands, except, decide: () => ({ changes: [], value: undefined }) });

/** To be called when a claim is dropped because its effect is in place. */
export function claimGivenUp(config: Configuration): void {
  givenUpOf(config).count++;
}

const counters = new WeakMap<Configuration, { count: number }>();

/**
 * Counter of claims dropped by this process: figures that a node reported before the latest drop
 * are out of date.
 */
function givenUpOf(config: Configuration): { count: number } {
  const known = counters.get(config) ?? { count: 0 };
  counters.set(config, known);
  return known;
}

/** Refusal by the fresh figures of nodes, in contrast to one by an allocator. */
export class NoRoomError extends PrereqError {
  constructor(text: string) {
    super("insufficient_resources", text);
  }
}

class Shortage extends Error {
  readonly refusal: NoRoomError;
  readonly isDoubtful: boolean;

  constructor(text: string, isDoubtful: boolean) {
    super(text);
    this.refusal = new NoRoomError(text);
    this.isDoubtful = isDoubtful;
  }
}

interface Figures {
  /** Undefined if the demand needs none. */
  readonly reported: NodeInformation | undefined;
  /** Memory given to running instances, if it counts. */
  readonly givenMib: number | undefined;
}

/** Figures of the node that the demand needs. */
async function figuresOf(
  context: UnitContext,
  demand: Demand,
  except: ReadonlySet<string>,
): Promise<Figures> {
  const { now } = context;
  const { memory, volumes = new Map<string, number>(), spindles = 0, limited } = demand;
  const vcpus = limited?.vcpus ?? 0;
  if (memory === undefined && volumes.size === 0 && spindles === 0 && vcpus === 0) {
    return { reported: undefined, givenMib: undefined };
  }
  const name = nodeName(now, demand.node);
  const hypervisor = memory?.hypervisor ?? now.cluster.enabled_hypervisors[0] ?? "";
  const key = now.cluster.volume_group_name ?? "";
  const reported = valueOrRefuse(
    await ask(context, demand.node, "node_info", {
      storage: [
        ...[...volumes.keys()].map((group) =>
          group === fileStorage
            ? { type: "file", key: now.cluster.file_storage_dir }
            : { type: "lvm-vg", key: group },
        ),
        ...(spindles > 0 ? [{ type: "lvm-pv", key, exclusive: true }] : []),
      ],
      hypervisors: memory || vcpus > 0 ? [hypervisorOnNode(now, hypervisor)] : [],
    }),
    memory === undefined
      ? `Cannot get current information from node ${name}`
      : `Can't get data from node ${name}`,
  );
  if (!isPromised(now, demand, except)) return { reported, givenMib: undefined };
  const given = await givenMemory(context, demand.node);
  return { reported, givenMib: valueOrRefuse(given, `Can't get data from node ${name}`) };
}

/** Whether memory that was given to instances does not count as free for the demand. */
const isPromised = (now: Snapshot, demand: Demand, except: ReadonlySet<string>): boolean =>
  demand.memory !== undefined &&
  (demand.limited?.reserves === true || reservationsOn(now, demand.node, except).length > 0);

/**
 * The limits that apply: only those of resources that are reserved, or to be reserved, on the node.
 */
function countedLimits(
  now: Snapshot,
  { node, limited }: Demand,
  except: ReadonlySet<string>,
): Pick<Demand, "limited"> {
  if (limited === undefined || limited.reserves) return {};
  const reserved = sumOfShares(
    reservationsOn(now, node, except).map((one) => shareOf(now, one, node)),
  );
  return {
    limited: {
      ...limited,
      vcpus: reserved.vcpus > 0 ? limited.vcpus : 0,
      spindleUse: reserved.spindleUse > 0 ? limited.spindleUse : 0,
    },
  };
}

/** The memory granted to each demand. @throws Shortage, PrereqError */
function checked(
  interval: Interval,
  demand: Demand,
  { reported: figures, givenMib }: Figures,
  except: ReadonlySet<string>,
  isStale: boolean,
): number {
  const { now } = interval;
  const { node, memory, volumes = new Map(), spindles = 0, limited } = demand;
  const spoken = spokenFor(interval, node, except);
  const { vcpus = 0, spindleUse = 0 } = limited ?? {};
  const name = nodeName(now, node);
  const [host] = figures?.hypervisors ?? [];
  if (memory !== undefined && host === undefined) {
    const text = `Can't compute free memory on node ${name}, result was 'None'`;
    throw new PrereqError("environment_error", text);
  }
  if (givenMib === undefined && isPromised(now, demand, except)) {
    throw new Shortage(`Memory of node ${name} was reserved just now, try again`, true);
  }
  const memoryFreeMib = host && freeMemoryMib(now, host, givenMib);
  const free = [...volumes.keys()].flatMap((group, at) => {
    const freeMib = figures?.storage?.[at]?.free ?? null;
    if (freeMib !== null) return [[group, freeMib] as const];
    // Ganeti never checks file storage, so a node that does not report its space does not refuse
    // the demand.
    if (group === fileStorage) return [];
    const text = `Can't compute free disk space on node ${name} for vg ${group}, result was 'None'`;
    throw new PrereqError("environment_error", text);
  });
  const object = now.node(node);
  const [fault] = capacityFaults(
    now,
    {
      memoryFreeMib,
      diskFreeMib: Object.fromEntries(free),
      cpuCount: host?.cpuTotal,
      spindleCount: object && filledNdparams(now, object).spindle_count,
      spindlesFree: figures?.storage?.[volumes.size]?.free ?? undefined,
    },
    {
      node,
      reason: memory?.purpose ?? limited?.purpose ?? "",
      memoryMib: memory?.mib ?? 0,
      diskMib: Object.fromEntries(volumes),
      vcpus,
      spindleUse,
      diskSpindles: spindles,
    },
    // All instances of the node have to be added up for its limits.
    vcpus > 0 || spindleUse > 0 ? { ...spoken, ...limitedOn(now, node, except) } : spoken,
  );
  if (fault !== undefined) throw new Shortage(fault, spoken.isDoubtful || isStale);
  if (memory === undefined) return 0;
  const wanted = Math.max(memory.mib, memory.upToMib ?? 0);
  if (memory.isLeftToNode && spoken.memoryMib === 0) return wanted;
  const available = (memoryFreeMib ?? 0) - spoken.memoryMib;
  return Math.max(0, Math.min(available, wanted));
}

/** Waits for the next change of the configuration, at most one second. */
export function somethingNew({ config, clock }: World): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stopListening();
      stopTimer();
      resolve();
    };
    const stopListening = config.onChange(end);
    const stopTimer = clock.after(1000, end);
  });
}
