/** openShadowWorld: the world of a shadow's API, which only reads files of the original. */

import { join } from "node:path";
import { type Cluster, openShadow } from "@ganeti-ts/cluster";
import { MemoryAccessStore } from "@ganeti-ts/job-queue";
import type { GanetiSite } from "@ganeti-ts/machines";
import { failed, type MasterHost } from "@ganeti-ts/node-calls";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import { introducedClient } from "@ganeti-ts/takeover";
import { FileQueue, followConfig, lookingNodes } from "@ganeti-ts/twin";
import { usersFile } from "../auth/users-file.js";
import { ConsoleError } from "../console/consoles.js";
import type { Log } from "../log.js";
import type { DataDirectory } from "../program/data-directory.js";
import { withNote } from "../program/noted-cluster.js";
import type { Options } from "../program/options.js";
import { worldOf } from "../program/world-of.js";
import { turns } from "../slices.js";
import type { World } from "../world.js";

export interface ShadowWorld {
  readonly world: World;
  readonly cluster: Cluster;
  /** Reads files that the original has changed. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** @throws StartError, ConfigError, what the system says about `config.data` */
export async function openShadowWorld(
  options: Options,
  site: GanetiSite,
  { directory, log }: { readonly directory: DataDirectory; readonly log: Log },
): Promise<ShadowWorld> {
  const file = join(site.data, "config.data");
  const followed = await followConfig(file, (error) =>
    log.error({ error, file }, "the configuration could not be read; the last one is used"),
  );
  let opened: Cluster | undefined;
  const refusal = "this is a shadow: it only looks at the cluster, changes go to the original";
  const queue = new FileQueue({
    folder: join(site.data, "queue"),
    rules: () => followed.rules(),
    runningMax: () => opened?.snapshot().cluster.max_running_jobs ?? 0,
    refusal,
  });
  opened = await openShadow({
    turn: turns(),
    config: followed.store,
    nodes: lookingNodes(await introducedClient(site, [])),
    masterHost: refusingMachine(refusal),
    queue,
    clock: systemClock,
    random: secureRandom,
  });
  const { cluster_name: name } = opened.snapshot().cluster;
  const note = `this is a shadow of ${name}: it only looks at the cluster`;
  const cluster = withNote(opened, note);
  // Users of the original have the same passwords here.
  const users = usersFile(join(site.data, "rapi", "users"), (problem) =>
    log.warn({ problem }, "problem in the users file"),
  );
  const world = worldOf(options, cluster, {
    ...{ users, access: new MemoryAccessStore(), directory, log, origin: "Ganeti" },
    ...{ note, refusal, practice: undefined },
    // Consoles are refused, because their input has effects.
    consoles: {
      kindsOf: () => [],
      open: () => Promise.reject(new ConsoleError("a shadow opens no consoles")),
    },
    confd: { bound: () => null, renewKey: () => Promise.reject(new Error("a shadow has no key")) },
  });
  return {
    world,
    cluster,
    async look() {
      await followed.look();
      await queue.look();
    },
    async close() {
      followed.stop();
      queue.isOpen = false;
      await cluster.close();
    },
  };
}

/** Port of the machine that refuses everything, because a shadow changes nothing. */
function refusingMachine(refusal: string): MasterHost {
  const refused = async () => failed(refusal);
  return {
    readFiles: refused,
    domainSecret: refused,
    certificateFault: refused,
    renewNodeCertificate: refused,
    secondCertificate: { make: refused, tryOn: refused, use: refused, remove: refused },
    runOnNode: refused,
    copyToNode: refused,
  };
}
