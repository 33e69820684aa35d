// Trace of a day: operations, failures and maintenance, each at its time; the same for the same size and seed.
import { Dice } from "@ganeti-ts/testkit/simulation";

/** Kinds of events, with their number on a day. */
export interface Rates {
  /** Shares of all instances: an event concerns one of them, or a new one. */
  readonly ofInstances: Readonly<Record<InstanceEvent, number>>;
  /** Shares of all nodes. */
  readonly ofNodes: Readonly<Record<NodeEvent, number>>;
  /** Rounds of each group. */
  readonly balancingRounds: number;
}

export type InstanceEvent =
  | "create"
  | "remove"
  | "modify"
  | "tag"
  | "restart"
  | "migrate"
  | "grow"
  | "crash";
export type NodeEvent = "failure" | "maintenance";
export type EventKind = InstanceEvent | NodeEvent | "balance";

export interface DayEvent {
  readonly atMs: number;
  readonly kind: EventKind;
  /** Choice of the affected object, from 0 to 1, among those that exist at the time of the event. */
  readonly choice: number;
}

/** A busy cluster: a twentieth of its instances is replaced each day, a fiftieth of its nodes restarted. */
export const usualRates: Rates = {
  ofInstances: {
    ...{ create: 0.05, remove: 0.05, modify: 0.02, tag: 0.02, restart: 0.02, migrate: 0.01 },
    ...{ grow: 0.005, crash: 0.002 },
  },
  ofNodes: { failure: 0.001, maintenance: 0.02 },
  balancingRounds: 4,
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export interface TraceSize {
  readonly nodeCount: number;
  readonly instanceCount: number;
  readonly groupCount: number;
}

/** Events in chronological order. */
export function traceOf(
  { nodeCount, instanceCount, groupCount }: TraceSize,
  seed: number,
  rates: Rates = usualRates,
): readonly DayEvent[] {
  const dice = new Dice(seed);
  const events: DayEvent[] = [];
  const add = (kind: EventKind, count: number, time: (dice: Dice) => number) => {
    for (let left = count; left > 0; left--) {
      events.push({ atMs: time(dice), kind, choice: dice.fraction() });
    }
  };
  for (const [kind, share] of Object.entries(rates.ofInstances)) {
    add(kind as EventKind, Math.round(share * instanceCount), workingTime);
  }
  // Machines fail at any time; they are restarted at night.
  add("failure", Math.max(1, Math.round(rates.ofNodes.failure * nodeCount)), (of) =>
    Math.floor(of.fraction() * dayMs),
  );
  add("maintenance", Math.round(rates.ofNodes.maintenance * nodeCount), (of) =>
    Math.floor((1 + 4 * of.fraction()) * hourMs),
  );
  for (let round = 0; round < rates.balancingRounds; round++) {
    for (let group = 0; group < groupCount; group++) {
      const share = round + group / groupCount;
      const atMs = Math.floor((share / rates.balancingRounds) * dayMs);
      events.push({ atMs, kind: "balance", choice: (group + 0.5) / groupCount });
    }
  }
  return events.sort((a, b) => a.atMs - b.atMs);
}

/** A wave with its peak at 14 h, twelve times as high as at 2 h. */
function workingTime(dice: Dice): number {
  for (;;) {
    const atMs = Math.floor(dice.fraction() * dayMs);
    const height = 1 + 0.85 * Math.cos((2 * Math.PI * (atMs - 14 * hourMs)) / dayMs);
    if (dice.fraction() * 1.85 < height) return atMs;
  }
}
