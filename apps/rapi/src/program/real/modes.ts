/** Modes of the server program for clusters of real machines: making one, preparing a machine, releasing one. */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { NewClusterError } from "@ganeti-ts/cluster";
import { Configuration, Snapshot, storedSerial } from "@ganeti-ts/config";
import {
  clearNode,
  type GanetiSite,
  ganetiSite,
  prepareGanetiNode,
  prepareNode,
  releaseNode,
  thisMachine,
} from "@ganeti-ts/machines";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import { copySqlite, openSqliteConfigStore } from "@ganeti-ts/store/sqlite";
import { letGo, readAdopted, readOriginalConfiguration } from "@ganeti-ts/takeover";
import { type DataDirectory, dataPath, openDataDirectory } from "../data-directory.js";
import type { MachineMode, NewCluster } from "../mode.js";
import { readNewClusterFile } from "../new-cluster-file.js";
import { nodeProgramFolder } from "../node-program-folder.js";
import type { Options } from "../options.js";
import { StartError } from "../start-error.js";
import type { Stores } from "../stores.js";
import { newRealCluster } from "./new-real-cluster.js";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** @throws NewClusterError, StartError */
export async function makeRealCluster(
  stores: Stores,
  options: Options,
  { name, settingsFile }: NewCluster,
  directory: DataDirectory,
): Promise<void> {
  if ((await storedSerial(stores.config)) > 0) {
    throw new NewClusterError("Cluster is already initialised");
  }
  await newRealCluster(name, readNewClusterFile(settingsFile), {
    ...{ stores, directory, say, allocatorPath: options.allocatorPath },
    site: ganetiSite(options, process.env),
  });
}

/** Prepares the machine that the options name, releases it, or leaves the cluster, without serving it. @throws StartError */
export async function changeMachine(options: Options, mode: MachineMode): Promise<void> {
  const directory = openDataDirectory(dataPath(options.dataPath, process.env));
  const known = readAdopted(directory.adopted);
  if (known?.state === "adopted") return changeGanetiMachine(mode, known.site);
  if (!existsSync(directory.realNodes)) {
    throw new StartError(`there is no cluster of real machines in ${directory.path}`);
  }
  const site = known?.site ?? ganetiSite(options, process.env);
  if (mode.leaves) {
    await letGo(site);
    await clearNode(thisMachine("this machine"));
    return;
  }
  const now = await configurationIn(directory);
  const place = { now, site, say, program: () => nodeProgramFolder(process.env) };
  if (mode.prepared !== undefined) await prepareNode(mode.prepared, place);
  if (mode.released !== undefined) await releaseNode(mode.released, place);
}

/**
 * Prepares a machine for an adopted cluster. A node that leaves clears itself, as Ganeti's daemons do.
 * @throws StartError
 */
async function changeGanetiMachine({ prepared }: MachineMode, site: GanetiSite): Promise<void> {
  if (prepared === undefined) throw new StartError("nodes of an adopted cluster clear themselves");
  const { content } = await readOriginalConfiguration(site);
  const place = { now: Snapshot.of(content), site, say };
  await prepareGanetiNode(prepared, place);
}

/** The configuration, read from a copy of the database, because another process serves it. */
async function configurationIn({ path, database }: DataDirectory): Promise<Snapshot> {
  const folder = mkdtempSync(join(path, "copy-"));
  try {
    const copy = join(folder, "cluster.db");
    copySqlite(database, copy);
    const store = openSqliteConfigStore(copy);
    try {
      const ports = { clock: systemClock, random: secureRandom };
      return (await Configuration.open(store, ports)).snapshot;
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
