// The commands that hbal prints, carried out one after the other on a second model of the cluster: they
// bring the scores that were printed, and no state on the way breaks a hard rule. In every mode, for
// every group, with whatever random clusters have: dedicated nodes, locations, networks, reservations.
// Seen to fail with a command left out, with the two nodes of `change-both` exchanged, and with jobs of
// one set that have a node in common.
import { messages, sameEachTime, type Traits } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type BalanceOptions,
  balance,
  groupView,
  jobSets,
  loadCluster,
  moveCommands,
  nodeAlias,
} from "../src/index.js";
import { plainState, type State } from "./oracle/model.js";
import { failOver, isDone, moveAnywhere, nodeAt, replaceSec, type Step } from "./oracle/moves.js";
import { plainScore } from "./oracle/score.js";

const modes = fc.record<Partial<BalanceOptions>>({
  evacuationMode: fc.boolean(),
  ignoreSoftErrors: fc.boolean(),
  restrictedMigration: fc.boolean(),
  preferForthcoming: fc.boolean(),
});

// Not with some nodes dedicated among others: there commands one by one may leave another count of spindles.
const sensible: Partial<Traits> = {
  hypervisor: "xen-pvm",
  zeroSizes: false,
  exclusiveStorage: "none",
};

const kinds: readonly { title: string; change: Partial<Traits>; runs: number }[] = [
  { title: "of every kind", change: {}, runs: 150 },
  { title: "with nodes away", change: { away: true, templates: ["drbd", "ext"] }, runs: 80 },
  { title: "of dedicated nodes", change: { exclusiveStorage: "all", room: "roomy" }, runs: 80 },
  {
    title: "with reservations and locations",
    change: { forthcoming: true, locationTags: true, templates: ["drbd"] },
    runs: 80,
  },
];

test.each(kinds)(
  "on clusters $title printed commands bring the printed scores and break no hard rule",
  ({ change, runs }) => {
    const seen = { commands: 0, steps: 0, swapped: 0, groups: 0 };
    const inputs = messages("allocate", { ...sensible, ...change });
    const property = fc.property(inputs, modes, ({ message }, options) => {
      const cluster = loadCluster(message.cluster);
      let state = plainState(message.cluster);
      for (const group of cluster.data.groups.keys()) {
        const view = groupView(cluster, group);
        const scoreOf = (now: State) => plainScore(view.nodes.map((at) => nodeAt(now, at)));
        const steps = [...balance(cluster, view, { ...options, stepsMax: 12 })];
        if (steps.length > 0) seen.groups++;
        const start = state;
        for (const step of steps) {
          const next = carryOut(state, step);
          if (next === undefined) return;
          state = next;
          expect(scoreOf(state)).toBeCloseTo(step.score, 9);
          const { primary, secondary } = state.instances[step.index] as State["instances"][number];
          expect({ primary, secondary }).toEqual({
            primary: step.to.primary,
            secondary: step.to.secondary,
          });
          seen.steps++;
        }
        // Commands of a job set give the same result in any order.
        const sets = jobSets(cluster, steps);
        if (sets.every((set) => set.length === 1)) continue;
        let other: State | undefined = start;
        for (const step of sets.flatMap((set) => set.toReversed())) {
          other = other && carryOut(other, step);
        }
        expect(other && scoreOf(other)).toBeCloseTo(scoreOf(state), 9);
        seen.swapped++;
      }

      /** Undefined where an instance stays on a node that has been overfull, or uncounted, all the time. */
      function carryOut(now: State, step: Parameters<typeof moveCommands>[1]): State | undefined {
        let after = now;
        for (const command of moveCommands(cluster, step, "it")) {
          const words = command.split(" ");
          const named = words[words.indexOf("-n") + 1] as string;
          const target = words.includes("-n")
            ? message.cluster.nodes.findIndex((_, node) => nodeAlias(cluster, node) === named)
            : undefined;
          const instance = after.instances[step.index] as State["instances"][number];
          const done = command.includes("replace-disks")
            ? replaceSec(after, instance, target as number, true)
            : startElsewhere(after, instance, target);
          // Nothing of a reservation runs: what may not be migrated from here to there does not matter.
          if (done === "FailMig" && step.move.kind === "change-both") return undefined;
          if (!isDone(done)) {
            const full = [instance.primary, instance.secondary].filter((at) => at >= 0);
            const isOverfull = full.some((at) => {
              const { memory, disk, spindles } = nodeAt(after, at);
              return memory <= 0 || disk <= 0 || spindles < 0 || instance.spindles === undefined;
            });
            expect(isOverfull, `${command}: ${done}`).toBe(true);
            return undefined;
          }
          after = {
            ...done.state,
            instances: done.state.instances.with(step.index, done.instance),
          };
          seen.commands++;
        }
        return after;
      }
    });
    fc.assert(property, { numRuns: runs, examples: sameEachTime(fc.tuple(inputs, modes), 30) });
    expect(seen.commands, JSON.stringify(seen)).toBeGreaterThan(seen.steps);
    expect(seen.steps).toBeGreaterThan(20);
    expect(seen.swapped).toBeGreaterThan(0);
    expect(seen.groups).toBeGreaterThan(10);
  },
);

const startElsewhere = (
  now: State,
  instance: State["instances"][number],
  target: number | undefined,
): Step =>
  target === undefined ? failOver(now, instance, true) : moveAnywhere(now, instance, target, true);
