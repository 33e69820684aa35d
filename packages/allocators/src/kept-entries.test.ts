// Kept entries, cluster and positions equal those made from the whole configuration. Seen to fail without the owners of
// changed disks, with recorded changes of figures ignored, with lists that follow later updates, with free memory of
// nodes not computed again for their instances, and with nodes of changed groups left unchanged.
import { type ConfigChange, nodesOfClaim, type Snapshot } from "@ganeti-ts/config";
import { loadCluster } from "@ganeti-ts/htools";
import type { NodeUuid } from "@ganeti-ts/protocol";
import { Dice } from "@ganeti-ts/testkit/simulation";
import fc from "fast-check";
import { expect, test } from "vitest";
import { randomConfiguration } from "../test/random-configuration.js";
import { randomRequest } from "../test/random-request.js";
import { clusterEntries } from "./cluster-entries.js";
import { KeptEntries } from "./kept-entries.js";
import { LiveFigures } from "./live-figures.js";
import type { LiveNode } from "./live-nodes.js";
import { allocatorMessage, clusterData } from "./message.js";
import { requestState } from "./request-state.js";

type Live = ReadonlyMap<NodeUuid, LiveNode>;

/** A later snapshot, with objects added, changed and removed. */
function later(dice: Dice, now: Snapshot, other: Snapshot): Snapshot {
  const changes: unknown[] = [];
  const put = (type: string, object: object) => changes.push({ kind: "put", type, object });
  const remove = (type: string, { uuid }: { readonly uuid: string }) =>
    changes.push({ kind: "remove", type, uuid });
  for (const object of dice.some([...now.disks()], 0.2)) {
    if (dice.chance(0.3)) remove("disk", object);
    else put("disk", { ...object, size: 1000 * dice.between(1, 20) });
  }
  for (const object of dice.some([...now.instances()], 0.2)) {
    if (dice.chance(0.3)) remove("instance", object);
    else put("instance", changedInstance(dice, object, now));
  }
  for (const object of dice.some([...other.instances()], 0.2)) {
    const isTaken = now.get("instance", object.uuid) ?? now.get("claim", object.uuid);
    if (!isTaken && now.node(object.primary_node as NodeUuid)) put("instance", object);
  }
  for (const claim of dice.some([...now.claims()], 0.3)) {
    if (claim.kind === "commit" && dice.chance(0.5)) {
      put("claim", { ...claim, spaces: claim.spaces.slice(1) });
      continue;
    }
    remove("claim", claim);
    if (claim.kind === "creation" && dice.chance(0.7)) put("instance", claim.instance);
  }
  for (const claim of dice.some([...other.claims()], 0.2)) {
    const isKnown = nodesOfClaim(claim).every((node) => now.node(node) !== undefined);
    if (isKnown && now.get("instance", claim.uuid) === undefined) put("claim", claim);
  }
  for (const object of dice.some([...now.nodes()], 0.2)) {
    put("node", { ...object, offline: !object.offline, tags: [`rack:${dice.between(1, 3)}`] });
  }
  for (const object of dice.some([...now.groups()], 0.2)) {
    put("group", { ...object, ndparams: { spindle_count: dice.between(2, 9) } });
  }
  if (dice.chance(0.2)) {
    changes.push({ kind: "cluster", object: { ...now.cluster, tags: [`t${dice.between(1, 9)}`] } });
  }
  const head = { serial: now.serial + 1, mtime: now.mtime + 1 };
  return now.with(changes as ConfigChange[], head);
}

function changedInstance(dice: Dice, object: object, now: Snapshot) {
  switch (dice.between(0, 3)) {
    case 0:
      return { ...object, tags: ["changed"] };
    case 1:
      return { ...object, admin_state: dice.pick(["up", "down"]) };
    case 2:
      return { ...object, name: `renamed${dice.between(1, 1000)}.example.com` };
    default:
      return { ...object, primary_node: dice.pick([...now.nodes()]).uuid };
  }
}

/** Changes the figures of some nodes: in a copy of the map, or in place where the map records changes. */
function otherFigures(dice: Dice, live: Live, rare: boolean): Live {
  const after = live instanceof LiveFigures ? live : new LiveFigures(live);
  for (const [node, figures] of [...live]) {
    if (dice.chance(rare ? 0.1 : 0.4)) {
      after.set(node, { ...figures, memoryFreeMib: figures.memoryFreeMib - dice.between(0, 500) });
    } else if (dice.chance(0.05)) after.delete(node);
  }
  return dice.chance(0.2) ? new Map(after) : after;
}

function expectFresh(kept: KeptEntries, now: Snapshot, live: Live): void {
  const fresh = clusterEntries(now, live);
  expect(kept.entriesLater()()).toEqual(fresh);
  const data = clusterData(fresh);
  expect(kept.cluster.data).toEqual(data);
  expect(kept.cluster.cluster.rows).toEqual(loadCluster(data).rows);
  for (const [at, [name]] of fresh.instances.entries()) {
    expect(kept.positions.ofInstance(name)).toBe(at);
  }
}

test("entries that follow the configuration equal those of the whole configuration", () => {
  const seen = { changes: 0, lists: 0, recorded: 0 };
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const dice = new Dice(seed);
      let { now, live } = randomConfiguration(seed) as { now: Snapshot; live: Live };
      const other = randomConfiguration(seed + 1);
      const first = now;
      let position = 0;
      const kept = new KeptEntries(now, live);
      const laterLists = [{ list: kept.entriesLater(), fresh: clusterEntries(now, live) }];
      for (let step = 0; step < 5; step++) {
        now = later(dice, now, other.now);
        live = otherFigures(dice, live, step > 0);
        if (live instanceof LiveFigures && step > 0) {
          if (live.changedSince(position) !== undefined) seen.recorded++;
        }
        position = live instanceof LiveFigures ? live.position : 0;
        kept.update(now, live);
        expectFresh(kept, now, live);
        seen.changes++;
        laterLists.push({ list: kept.entriesLater(), fresh: clusterEntries(now, live) });
      }
      kept.update(other.now, other.live);
      expectFresh(kept, other.now, other.live);
      kept.update(first, live);
      expectFresh(kept, first, live);
      for (const { list, fresh } of laterLists) {
        expect(list()).toEqual(fresh);
        seen.lists++;
      }
    }),
    { numRuns: 60 },
  );
  expect(seen.changes).toBeGreaterThan(100);
  expect(seen.lists).toBeGreaterThan(100);
  expect(seen.recorded).toBeGreaterThan(50);
});

test("requests name the same objects as in a message, without the claims of the asking operation", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const { now, live } = randomConfiguration(seed);
      const fresh = clusterEntries(now, live);
      const request = randomRequest(seed, fresh, true);
      const kept = new KeptEntries(now, live);
      const message = allocatorMessage(fresh, request);
      expect(requestState(kept, request).request).toEqual(message.request);
      const [claimed] = [...now.instances()].filter((one) => one.primary_node !== undefined);
      if (claimed === undefined) return;
      const state = requestState(kept, request, new Set([claimed.uuid]));
      const name = claimed.name ?? claimed.uuid;
      const instances = fresh.instances.filter(([other]) => other !== name);
      const without = allocatorMessage({ ...fresh, instances }, request);
      expect(state.entries()).toEqual({ ...fresh, instances });
      expect(state.kept.data).toEqual(without.cluster);
      expect(state.request).toEqual(without.request);
    }),
    { numRuns: 60 },
  );
});
