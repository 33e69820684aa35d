/** adopt: a Ganeti cluster whose master daemons are down becomes the cluster of this data directory. */

import type { ClusterStores } from "@ganeti-ts/cluster";
import { type ConfigFile, createConfiguration, storedSerial, withLeftOut } from "@ganeti-ts/config";
import {
  afterDeath,
  type Change,
  jobPriorityOf,
  jobStatusOf,
  lacksSecrets,
} from "@ganeti-ts/job-queue";
import type { GanetiSite } from "@ganeti-ts/machines";
import { isFinalized, type Job, systemClock } from "@ganeti-ts/protocol";
import {
  adoptionFindings,
  type Findings,
  introducedClient,
  markRealNodes,
  type OriginalQueue,
  type OriginalRest,
  ownPresentConfiguration,
  readAdopted,
  readOriginalConfiguration,
  readOriginalQueue,
  readOriginalRest,
  stampsIn,
  writeAdopted,
} from "@ganeti-ts/takeover";
import type { Log } from "../../log.js";
import { setAside } from "../backup.js";
import type { DataDirectory } from "../data-directory.js";
import type { Options } from "../options.js";
import { StartError } from "../start-error.js";
import { closeUnused, openStores } from "../stores.js";

/** Jobs stored in one step. */
const jobsAtOnce = 100;

/** Reads the cluster of this master and judges it. Changes nothing. @throws StartError if it cannot be read */
export async function examine(
  site: GanetiSite,
  mode: { readonly upgrade: boolean },
): Promise<{ file: ConfigFile; queue: OriginalQueue; findings: Findings }> {
  const file = await readOriginalConfiguration(site, mode);
  const queue = await readOriginalQueue(site);
  await readOriginalRest(site);
  const nodes = await introducedClient(site, file.content.nodes);
  return { file, queue, findings: await adoptionFindings(site, file, queue, nodes) };
}

const databaseIsTaken = "the database of --store holds a cluster already: name another database";

/** Why the database that the options name cannot take the cluster; undefined if it can, or none is named. */
export async function databaseRefusal(
  options: Options,
  directory: DataDirectory,
): Promise<string | undefined> {
  if (options.store === undefined) return undefined;
  try {
    const stores = await openStores(options, directory);
    try {
      return (await storedSerial(stores.config)) > 0 ? databaseIsTaken : undefined;
    } finally {
      await closeUnused(stores);
    }
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
}

/** Lines for people: reasons, then notes. */
export const findingLines = ({ refusals, notes }: Findings): readonly string[] => [
  ...refusals.map((text) => `refused: ${text}`),
  ...notes.map((text) => `note: ${text}`),
];

/**
 * Copies configuration, filter rules and jobs into the data directory, which is marked as adopted. Nothing of Ganeti
 * is changed. A database of an earlier adoption is set aside. @throws StartError with all reasons against it
 */
export async function adopt(
  options: Options,
  mode: { readonly upgrade: boolean },
  directory: DataDirectory,
  site: GanetiSite,
  log: Log,
): Promise<void> {
  const known = readAdopted(directory.adopted)?.state;
  if (known === "adopted" || known === "made here") {
    throw new StartError(
      `${directory.path} holds a cluster that was ${known} already: start it without --adopt`,
    );
  }
  const { file, queue, findings } = await examine(site, mode);
  for (const note of findings.notes) log.info({ note }, "found at adoption");
  if (findings.refusals.length > 0) {
    throw new StartError(
      `the cluster cannot be taken over:\n${findings.refusals.map((text) => `  ${text}`).join("\n")}`,
    );
  }
  // Candidates were sent the files by Ganeti.
  await fillDirectory(options, directory, site, { file, queue, queueIsComplete: true });
  log.info({ from: site.data, jobs: queue.jobs.length, serial: queue.serial }, "cluster adopted");
}

interface Original {
  readonly file: ConfigFile;
  readonly queue: OriginalQueue;
  readonly queueIsComplete: boolean;
}

/** Stores a cluster of Ganeti in the data directory. A database of an earlier time is set aside. @throws StartError */
export async function fillDirectory(
  options: Options,
  directory: DataDirectory,
  site: GanetiSite,
  { file, queue, queueIsComplete }: Original,
): Promise<void> {
  const isShared = options.store !== undefined;
  if (!isShared && readAdopted(directory.adopted) !== undefined) setAside(directory.database);
  const rest = await readOriginalRest(site);
  const stores = await openStores(options, directory);
  try {
    if ((await storedSerial(stores.config)) > 0) {
      throw new StartError(
        isShared
          ? databaseIsTaken
          : `${directory.path} holds another cluster: name another --data-dir`,
      );
    }
    await importCluster(stores, file, queue, rest);
  } finally {
    await closeUnused(stores);
  }
  await ownPresentConfiguration(site, stampsIn(directory.ownStamps));
  const isMadeHere = rest?.wasMadeHere === true;
  if (isMadeHere) markRealNodes(directory);
  const state = isMadeHere ? "made here" : "adopted";
  writeAdopted(directory.adopted, { state, site, queueIsComplete });
}

/** The queue first: the configuration, once stored, says that all of it is there. */
async function importCluster(
  { jobs: store, config }: ClusterStores,
  { content, filters }: ConfigFile,
  { jobs, serial, drained }: OriginalQueue,
  rest: OriginalRest | undefined,
): Promise<void> {
  const steps: (readonly Change[])[] = [
    [{ kind: "serial", serial }, ...filters.map((rule) => ({ kind: "rule", rule }) as const)],
  ];
  const now = systemClock.wallMicros();
  for (let at = 0; at < jobs.length; at += jobsAtOnce) {
    steps.push(jobs.slice(at, at + jobsAtOnce).map((job) => stored(withoutWorker(job, now))));
  }
  for (const changes of steps) {
    await store.step(
      () => [],
      () => changes,
    );
  }
  await store.step(
    () => [],
    () => [
      {
        kind: "settings",
        settings: {
          runningMax: content.cluster.max_running_jobs,
          sizeMax: rest?.queueSizeMax ?? null,
          drained,
        },
      },
    ],
  );
  // Claims of dead jobs are released by recovery, with what they have on nodes.
  await createConfiguration(config, rest === undefined ? content : withLeftOut(content, rest.left));
}

/** As after the death of its worker: nothing is run twice. */
function withoutWorker(job: Job, now: number): Job {
  if (job.opcodes.every(({ status }) => isFinalized(status))) return job;
  const left = afterDeath(job, now);
  if (!lacksSecrets(left)) return left;
  throw new StartError(`job ${job.id} needs secrets that its file does not contain`);
}

const stored = (job: Job): Change => ({
  kind: "job",
  job,
  status: jobStatusOf(job.opcodes),
  priority: jobPriorityOf(job.opcodes),
  claim: null,
  isNew: true,
  opcodes: job.opcodes.map((_, index) => index),
  log: job.opcodes.flatMap(({ log }, index) => log.map((entry) => ({ index, entry }))),
});
