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
import { readAdopted, writeAdopted } from "./adopted.js";
import { adoptionFindings, type Findings } from "./adoption-checks.js";
import { ownPresentConfiguration, stampsIn } from "./local-files.js";
import { markRealNodes } from "./made-here.js";
import { introducedClient } from "./node-client.js";
import {
  type OriginalQueue,
  type OriginalRest,
  readOriginalConfiguration,
  readOriginalQueue,
  readOriginalRest,
} from "./original.js";
import { TakeoverError } from "./takeover-error.js";
import type { TakeoverPlace } from "./takeover-place.js";

/** Jobs stored in one step. */
const jobsAtOnce = 100;

/** Reads the cluster of this master and judges it. Changes nothing. @throws TakeoverError if it cannot be read */
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

/** Why the shared database cannot take the cluster; undefined if it can, or there is none. */
export const databaseRefusal = async (place: TakeoverPlace): Promise<string | undefined> =>
  place.isShared && (await place.withStores(({ config }) => storedSerial(config))) > 0
    ? databaseIsTaken
    : undefined;

/** Findings as lines of text: refusals, then notes. */
export const findingLines = ({ refusals, notes }: Findings): readonly string[] => [
  ...refusals.map((text) => `refused: ${text}`),
  ...notes.map((text) => `note: ${text}`),
];

/**
 * Copies configuration, filter rules and jobs into the data directory, which is marked as adopted. Nothing of Ganeti
 * is changed. A database of an earlier adoption is set aside. @throws TakeoverError with all reasons against it
 */
export async function adopt(
  place: TakeoverPlace,
  mode: { readonly upgrade: boolean },
): Promise<void> {
  const { directory, site, log } = place;
  const known = readAdopted(directory.adopted)?.state;
  if (known === "adopted" || known === "made here") {
    throw new TakeoverError(
      `${directory.path} holds a cluster that was ${known} already: start it without --adopt`,
    );
  }
  const { file, queue, findings } = await examine(site, mode);
  for (const note of findings.notes) log.info({ note }, "found at adoption");
  if (findings.refusals.length > 0) {
    throw new TakeoverError(
      `the cluster cannot be taken over:\n${findings.refusals.map((text) => `  ${text}`).join("\n")}`,
    );
  }
  // Ganeti has sent the files to all candidates.
  await fillDirectory(place, { file, queue, queueIsComplete: true });
  log.info({ from: site.data, jobs: queue.jobs.length, serial: queue.serial }, "cluster adopted");
}

interface Original {
  readonly file: ConfigFile;
  readonly queue: OriginalQueue;
  readonly queueIsComplete: boolean;
}

/** Stores a cluster of Ganeti in the data directory. A database of an earlier time is set aside. @throws TakeoverError */
export async function fillDirectory(
  { directory, site, isShared, withStores, setAside }: TakeoverPlace,
  { file, queue, queueIsComplete }: Original,
): Promise<void> {
  if (!isShared && readAdopted(directory.adopted) !== undefined) setAside();
  const rest = await readOriginalRest(site);
  await withStores(async (stores) => {
    if ((await storedSerial(stores.config)) > 0) {
      throw new TakeoverError(
        isShared
          ? databaseIsTaken
          : `${directory.path} holds another cluster: name another --data-dir`,
      );
    }
    await importCluster(stores, file, queue, rest);
  });
  await ownPresentConfiguration(site, stampsIn(directory.ownStamps));
  const isMadeHere = rest?.wasMadeHere === true;
  if (isMadeHere) markRealNodes(directory);
  const state = isMadeHere ? "made here" : "adopted";
  writeAdopted(directory.adopted, { state, site, queueIsComplete });
}

/** Stores the queue first, because a stored configuration marks the import as complete. */
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

/** The job as after the death of its worker, so that no opcode runs twice. */
function withoutWorker(job: Job, now: number): Job {
  if (job.opcodes.every(({ status }) => isFinalized(status))) return job;
  const left = afterDeath(job, now);
  if (!lacksSecrets(left)) return left;
  throw new TakeoverError(`job ${job.id} needs secrets that its file does not contain`);
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
