/** takeOverShared: master failover of an adopted cluster whose data are in a shared database. */

import { setTimeout as pause } from "node:timers/promises";
import { Configuration } from "@ganeti-ts/config";
import { type NodeObject, secureRandom, systemClock } from "@ganeti-ts/protocol";
import { readAdopted, writeAdopted } from "./adopted.js";
import { ownPresentConfiguration, stampsIn } from "./local-files.js";
import {
  checkOwn,
  checkVotes,
  mastersOf,
  newMasterIn,
  takeAddress,
  tellNodes,
} from "./new-master.js";
import { introducedClient } from "./node-client.js";
import { TakeoverError } from "./takeover-error.js";
import type { TakeoverPlace, TakeoverStores } from "./takeover-place.js";

/** Choices of the administrator. */
export interface TakeoverChoices {
  /** Starts without asking the nodes whom they take for the master. */
  readonly noVoting: boolean;
  /** Time after which a silent server of a shared database counts as dead. */
  readonly leaseMs: number;
}

/** Interval (ms) at which it is checked whether a silent server has lost its lease. */
const lookMs = 200;

/**
 * Loses no part of configuration and queue, because the database has all of it. The server that is started afterwards
 * recovers the jobs of the dead one, once its calls have ended. May be repeated after an interruption.
 * @throws TakeoverError with the reason, before anything changed
 */
export async function takeOverShared(
  { directory, site, log, withStores }: TakeoverPlace,
  { noVoting, leaseMs }: TakeoverChoices,
): Promise<void> {
  await withStores(async (stores) => {
    const config = await Configuration.open(stores.config, {
      clock: systemClock,
      random: secureRandom,
    });
    const before = config.snapshot;
    const content = { cluster: before.cluster, nodes: [...before.nodes()] };
    const isInterrupted =
      before.node(before.cluster.master_node)?.name === site.host &&
      readAdopted(directory.adopted)?.state !== "adopted";
    const nodes = await introducedClient(site, content.nodes);
    if (isInterrupted) {
      await tellNodes(nodes, before, before.expectNode(before.cluster.master_node), log);
    } else {
      const masters = mastersOf({ content }, site);
      const { own, old } = masters;
      await checkOwn(site, { content }, own);
      await waitForDeath(stores, old, leaseMs);
      await fenceDead(stores);
      if (!noVoting) await checkVotes(nodes, { content }, old);
      const { snapshot } = await config.change((now) => {
        if (now.cluster.master_node !== old.uuid) throw new TakeoverError("another node took over");
        const next = newMasterIn(now.cluster, { own, old: now.expectNode(old.uuid) });
        return {
          changes: [
            { kind: "cluster", object: next.cluster },
            { kind: "put", type: "node", object: next.old },
          ],
          value: null,
        };
      });
      await tellNodes(nodes, snapshot, own, log);
      await takeAddress(nodes, before, old, log);
      log.info({ from: old.name, to: own.name }, "this node is the master now");
    }
  });
  await ownPresentConfiguration(site, stampsIn(directory.ownStamps));
  // The candidates may lack changes of the last second before the end of the old master.
  writeAdopted(directory.adopted, { state: "adopted", site, queueIsComplete: false });
}

/** Waits for at most the length of a lease. @throws TakeoverError if a server of the old master renews its lease */
async function waitForDeath(
  { servers }: TakeoverStores,
  old: NodeObject,
  leaseMs: number,
): Promise<void> {
  const isAlive = async () =>
    (await servers?.living())?.some(({ uuid }) => uuid === old.uuid) ?? false;
  for (const end = Date.now() + leaseMs + lookMs; await isAlive(); await pause(lookMs)) {
    if (Date.now() > end) {
      throw new TakeoverError(`the server on ${old.name} is alive: stop it first`);
    }
  }
}

/** Fences dead servers in the database: one that was only suspended can neither renew its lease nor change anything. */
const fenceDead = ({ jobs }: TakeoverStores): Promise<void> =>
  jobs.step(
    () => [],
    ({ dead }) =>
      dead.filter(({ fenced }) => !fenced).map((one) => ({ kind: "fence", dead: one }) as const),
  );
