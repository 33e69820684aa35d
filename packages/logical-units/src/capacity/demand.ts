/**
 * Taking memory and disk of nodes: what is asked for must fit into what is really free less what is
 * reserved, and is reserved itself in the same step.
 */
import type { ConfigChange, Configuration, Snapshot } from "@ganeti-ts/config";
import type { NodeUuid } from "@ganeti-ts/protocol";
import { ask, valueOrRefuse } from "../calls.js";
import { PrereqError } from "../errors.js";
import { hypervisorOnNode } from "../instance/on-node.js";
import { nodeName } from "../instance/state.js";
import type { NodeInformation } from "../nodes/figure-calls.js";
import type { World } from "../unit.js";
import { type SpokenFor, spokenFor } from "./spoken-for.js";

export interface Demand {
  readonly node: NodeUuid;
  readonly memory?: {
    readonly mib: number;
    /** Takes more than that, if there is more. */
    readonly upToMib?: number;
    readonly hypervisor: string;
    /** Ends texts: `starting instance web1`. */
    readonly purpose: string;
  };
  /** MiB by volume group. */
  readonly volumes?: ReadonlyMap<string, number>;
}

export interface Taking<T> {
  readonly demands: readonly Demand[];
  /** Instances whose own reservation this is about. */
  readonly except?: readonly string[];
  /** Says in the configuration that it is taken, of each demand that much memory; pure. */
  readonly decide: (
    now: Snapshot,
    memoryMib: readonly number[],
  ) => {
    readonly changes: readonly ConfigChange[];
    readonly value: T;
  };
}

/** How often others may get in between before it is said that there is not enough. */
const triesMax = 30;

/**
 * Does what `decide` says if all demands can be met together; two that ask at the same time cannot both
 * get what is there once. @throws PrereqError `insufficient_resources`
 */
export async function take<T>(world: World, taking: Taking<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const before = world.config.snapshot;
    const given = givenUpOf(world.config);
    const seen = given.count;
    const figures = await Promise.all(taking.demands.map((one) => figuresOf(world, before, one)));
    try {
      const { value } = await world.config.change((now) => {
        const isStale = given.count !== seen;
        const memoryMib = taking.demands.map((demand, at) => {
          const spoken = spokenFor(before, now, demand.node, new Set(taking.except));
          return checked(now, demand, figures[at] as NodeInformation, spoken, isStale);
        });
        return taking.decide(now, memoryMib);
      }, world);
      return value;
    } catch (error) {
      if (!(error instanceof Shortage)) throw error;
      if (!error.isDoubtful || tries >= triesMax) throw error.refusal;
      await somethingNew(world);
    }
  }
}

/** Whether it would fit, without taking it. */
export const checkRoom = (
  world: World,
  demands: readonly Demand[],
  except: readonly string[] = [],
) => take(world, { demands, except, decide: () => ({ changes: [], value: undefined }) });

/** To be called when a claim is given up whose effect is there by then. */
export function claimGivenUp(config: Configuration): void {
  givenUpOf(config).count++;
}

const counters = new WeakMap<Configuration, { count: number }>();

/** How often this process has given up a claim: what was asked of nodes before that is old. */
function givenUpOf(config: Configuration): { count: number } {
  const known = counters.get(config) ?? { count: 0 };
  counters.set(config, known);
  return known;
}

class Shortage extends Error {
  readonly refusal: PrereqError;
  readonly isDoubtful: boolean;

  constructor(text: string, isDoubtful: boolean) {
    super(text);
    this.refusal = new PrereqError("insufficient_resources", text);
    this.isDoubtful = isDoubtful;
  }
}

async function figuresOf(world: World, now: Snapshot, demand: Demand): Promise<NodeInformation> {
  const { memory, volumes = new Map<string, number>() } = demand;
  const name = nodeName(now, demand.node);
  return valueOrRefuse(
    await ask(world, demand.node, "node_info", {
      storage: [...volumes.keys()].map((key) => ({ type: "lvm-vg", key })),
      hypervisors: memory === undefined ? [] : [hypervisorOnNode(now, memory.hypervisor)],
    }),
    memory === undefined
      ? `Cannot get current information from node ${name}`
      : `Can't get data from node ${name}`,
  );
}

/** The memory that is taken. @throws Shortage, PrereqError */
function checked(
  now: Snapshot,
  { node, memory, volumes }: Demand,
  figures: NodeInformation,
  spoken: SpokenFor,
  isStale: boolean,
): number {
  let memoryMib = 0;
  const name = nodeName(now, node);
  const isDoubtful = spoken.isDoubtful || isStale;
  if (memory !== undefined) {
    const free = figures.hypervisors[0]?.memoryFreeMib;
    if (free === undefined) {
      const text = `Can't compute free memory on node ${name}, result was 'None'`;
      throw new PrereqError("environment_error", text);
    }
    const available = free - spoken.memoryMib;
    if (memory.mib > available) {
      const text =
        `Not enough memory on node ${name} for ${memory.purpose}:` +
        ` needed ${memory.mib} MiB, available ${available} MiB`;
      throw new Shortage(text, isDoubtful);
    }
    memoryMib = Math.min(available, Math.max(memory.mib, memory.upToMib ?? 0));
  }
  [...(volumes ?? [])].forEach(([group, required], at) => {
    const free = figures.storage[at]?.free ?? null;
    if (free === null) {
      const text = `Can't compute free disk space on node ${name} for vg ${group}, result was 'None'`;
      throw new PrereqError("environment_error", text);
    }
    const available = free - (spoken.volumes.get(group) ?? 0);
    if (required > available) {
      const text =
        `Not enough disk space on target node ${name} vg ${group}:` +
        ` required ${required} MiB, available ${available} MiB`;
      throw new Shortage(text, isDoubtful);
    }
  });
  return memoryMib;
}

/** Until the configuration changes, a second at most. */
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
