// Laws of reboot groups on random clusters. Seen to fail when edges between the nodes of an instance
// are left out, when a target may be in the part already emptied, and when a step is not taken back.
import { messages, randomRuns } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Cluster } from "../src/model/cluster.js";
import { DataError } from "../src/model/data-error.js";
import { loadCluster } from "../src/model/load.js";
import { field } from "../src/model/node-columns.js";
import { colourings } from "../src/reboots/colouring.js";
import { rebootGraph } from "../src/reboots/graph.js";
import { type RebootGroup, rebootGroups } from "../src/reboots/reboot-groups.js";
import { nodesToReboot } from "../src/reboots/selection.js";
import { snapshot } from "./snapshot.js";

const questions = fc.record({
  message: messages("allocate", { room: "usual", exclusiveStorage: "none", zeroSizes: false }, 9),
  fullEvacuation: fc.boolean(),
  ignoreNonRedundant: fc.boolean(),
  offlineMaintenance: fc.boolean(),
  /** Which nodes are wanted, by index. */
  wanted: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
});

interface Trial {
  readonly cluster: Cluster;
  readonly selected: readonly number[];
  readonly groups: readonly RebootGroup[];
  readonly fullEvacuation: boolean;
  readonly ignoreNonRedundant: boolean;
}

/** Calls `law` for the groups of random clusters; tells how many were refused. */
function everyPlan(law: (trial: Trial) => void): { planned: number; refused: number } {
  const seen = { planned: 0, refused: 0 };
  fc.assert(
    fc.property(questions, ({ message, wanted, offlineMaintenance, ...options }) => {
      const cluster = loadCluster(message.message.cluster);
      const selected = nodesToReboot(cluster).filter((node) => wanted[node]);
      if (selected.length === 0) return;
      const before = snapshot(cluster);
      const graph = rebootGraph(cluster, selected, offlineMaintenance);
      for (const { classes } of colourings(graph)) {
        try {
          const groups = rebootGroups(cluster, classes, selected, options);
          law({ cluster, selected, groups, ...options });
          seen.planned++;
        } catch (error) {
          if (!(error instanceof DataError)) throw error;
          seen.refused++;
        }
      }
      expect(snapshot(cluster)).toEqual(before);
    }),
    { numRuns: randomRuns(300) },
  );
  expect(seen.planned).toBeGreaterThan(100);
  expect(seen.refused).toBeGreaterThan(10);
  return seen;
}

test("every selected node is in exactly one group, and no other node in any", () => {
  everyPlan(({ selected, groups }) => {
    const listed = groups.flatMap(({ nodes }) => nodes).sort((a, b) => a - b);
    expect(listed).toEqual(selected);
  });
});

test("no group holds both nodes of an instance", () => {
  let pairs = 0;
  everyPlan(({ cluster, groups }) => {
    for (const { data, index } of cluster.instances) {
      if (data.diskTemplate !== "drbd") continue;
      const both = [cluster.primaryOf[index] ?? -1, cluster.secondaryOf[index] ?? -1];
      for (const { nodes } of groups) {
        expect(
          both.every((node) => nodes.includes(node)),
          data.name,
        ).toBe(false);
      }
      pairs++;
    }
  });
  expect(pairs).toBeGreaterThan(100);
});

test("the moves empty a group's nodes, onto online nodes of the same group of nodes with room", () => {
  let moved = 0;
  everyPlan(({ cluster, selected, groups, fullEvacuation, ignoreNonRedundant }) => {
    const { facts } = cluster;
    // Nodes between the selected ones are emptied with them, but without regard to whose mirror they
    // hold: an instance of theirs may fail over to a selected node and stay there.
    const withoutGaps = (selected.at(-1) ?? 0) - (selected[0] ?? 0) === selected.length - 1;
    if (fullEvacuation && !withoutGaps) return;
    for (const { nodes, moves } of groups) {
      const after = new Map(moves.map((move) => [move.index, move]));
      const gained = new Map<number, { memory: number; disk: number }>();
      const gain = (node: number, memory: number, disk: number) => {
        const known = gained.get(node) ?? { memory: 0, disk: 0 };
        gained.set(node, { memory: known.memory + memory, disk: known.disk + disk });
      };
      for (const instance of cluster.instances) {
        const { index, forthcoming, diskMib, local } = instance;
        const mirrored = instance.data.diskTemplate === "drbd";
        const primary = cluster.primaryOf[index] as number;
        const secondary = cluster.secondaryOf[index] as number;
        const move = after.get(index);
        if (move === undefined) {
          if (forthcoming) continue;
          if (!mirrored && !ignoreNonRedundant) expect(nodes).not.toContain(primary);
          if (mirrored && fullEvacuation) {
            expect(nodes).not.toContain(primary);
            expect(nodes).not.toContain(secondary);
          }
          continue;
        }
        moved++;
        expect(forthcoming).toBe(false);
        expect(nodes).not.toContain(move.primary);
        const memory = instance.usesMemory ? instance.memoryMib : 0;
        const disk = local ? diskMib : 0;
        gain(primary, -memory, -disk);
        gain(move.primary, memory, disk);
        if (mirrored) {
          const target = move.secondary as number;
          expect(nodes).not.toContain(target);
          expect(target).not.toBe(move.primary);
          expect(facts.offline[target]).toBe(0);
          expect(facts.groupOf[target]).toBe(facts.groupOf[secondary]);
          gain(secondary, 0, -disk);
          gain(target, 0, disk);
        } else {
          expect(facts.offline[move.primary]).toBe(0);
          expect(facts.groupOf[move.primary]).toBe(facts.groupOf[primary]);
        }
      }
      for (const [node, { memory, disk }] of gained) {
        if (memory > 0) expect(cluster.get(node, field.memoryUnallocated)).toBeGreaterThan(memory);
        if (disk > 0) expect(cluster.get(node, field.diskFree)).toBeGreaterThan(disk);
      }
    }
  });
  expect(moved).toBeGreaterThan(200);
});
