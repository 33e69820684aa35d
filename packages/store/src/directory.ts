/**
 * Import and export of Ganeti's own queue directory, which has one file per job. Only for a queue that is not
 * running.
 */
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Change, JobStore } from "@ganeti-ts/job-queue";
import { afterDeath, defaultSettings, jobPriorityOf, jobStatusOf } from "@ganeti-ts/job-queue";
import { type Job, type JobId, readJob, writeJob } from "@ganeti-ts/protocol";

const formatVersion = "1";
const perArchiveFolder = 10_000;

export interface Imported {
  readonly jobCount: number;
  readonly archivedCount: number;
  /** Files without a valid job, each with its fault; they are skipped and block nothing. */
  readonly faults: readonly string[];
}

/**
 * Imports every job of a queue directory into an empty store: ids, results, logs, the serial and the drain
 * flag. Jobs that were running have failed, because their processes are gone. @throws Error on another format
 * version, or if the store has jobs
 */
export async function importDirectory(folder: string, store: JobStore): Promise<Imported> {
  const version = (await readFile(join(folder, "version"), "utf8")).trim();
  if (version !== formatVersion) {
    throw new Error(`Found job queue version ${version}, expected ${formatVersion}`);
  }
  const faults: string[] = [];
  const live = await readJobs(folder, faults);
  const archived: Job[] = [];
  for (const name of await namesIn(join(folder, "archive"))) {
    archived.push(...(await readJobs(join(folder, "archive", name), faults)));
  }
  const serial = Number((await readFile(join(folder, "serial"), "utf8")).trim());
  const ids = [...live, ...archived].map(({ id }) => id as number);
  const last = ids.reduce((a, b) => Math.max(a, b), Number.isSafeInteger(serial) ? serial : 0);
  const drained = (await namesIn(folder)).includes("drain");
  await store.step(
    () => [],
    (news) => {
      if (news.serial > 0) throw new Error("the store has jobs already");
      return [
        { kind: "serial", serial: last },
        { kind: "settings", settings: { ...(news.settings ?? defaultSettings), drained } },
        ...[...live, ...archived].map((job) => jobChange(job, news.nowMicros)),
        { kind: "archive", ids: archived.map(({ id }) => id) },
      ];
    },
  );
  return { jobCount: live.length, archivedCount: archived.length, faults };
}

/** The queue must be at rest, so a job with a recorded executor has lost it. */
function jobChange(found: Job, now: number): Change {
  const wasTaken = found.ended === null && found.livelock !== undefined;
  const job = wasTaken ? afterDeath(found, now) : found;
  return {
    kind: "job",
    job,
    status: jobStatusOf(job.opcodes),
    priority: jobPriorityOf(job.opcodes),
    claim: null,
    isNew: true,
    opcodes: [...job.opcodes.keys()],
    log: job.opcodes.flatMap(({ log }, index) => log.map((entry) => ({ index, entry }))),
  };
}

async function readJobs(folder: string, faults: string[]): Promise<Job[]> {
  const jobs: Job[] = [];
  for (const name of await namesIn(folder)) {
    const id = /^job-(\d+)$/.exec(name)?.[1];
    if (id === undefined) continue;
    try {
      const job = readJob(await readFile(join(folder, name), "utf8"));
      if (job.id !== Number(id)) throw new Error(`it says that it is job ${job.id}`);
      jobs.push(job);
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return jobs.sort((a, b) => a.id - b.id);
}

/** Empty if the folder does not exist. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw error;
  }
}

/** Writes every job of a store in Ganeti's format; the folder must not contain a queue. */
export async function exportDirectory(store: JobStore, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await namesIn(folder)).includes("version"))
    throw new Error(`${folder} holds a queue already`);
  let serial = 0;
  let drained = false;
  await store.step(
    () => [],
    (news) => {
      serial = news.serial;
      drained = news.settings?.drained ?? false;
      return [];
    },
  );
  for (const archived of [false, true]) {
    const ids = await store.list({ archived });
    for (const id of ids) {
      const place = archived
        ? join(folder, "archive", String(Math.floor(id / perArchiveFolder)))
        : folder;
      await mkdir(place, { recursive: true });
      await writeOne(store, id, join(place, `job-${id}`));
    }
  }
  await writeFile(join(folder, "serial"), `${serial}\n`);
  if (drained) await writeFile(join(folder, "drain"), "");
  // Written last, so that an incomplete folder is not taken for a queue.
  await writeFile(join(folder, "version"), `${formatVersion}\n`);
}

async function writeOne(store: JobStore, id: JobId, path: string): Promise<void> {
  const [row] = await store.read([id]);
  if (row?.job !== undefined) await writeFile(path, writeJob(row.job));
}

/** Atomic, and on disk when it resolves. */
async function writeFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  try {
    const file = await open(temporary, "w", 0o640);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
