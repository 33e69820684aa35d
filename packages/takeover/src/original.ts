/** Files of a Ganeti cluster on its master, read without changing anything. */

import { X509Certificate } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { restFileName, restVersion } from "@ganeti-ts/cluster";
import {
  ConfigError,
  type ConfigFile,
  type LeftOut,
  readConfigFile,
  readLeftOut,
} from "@ganeti-ts/config";
import { archivedJobFileName, readJobFile, readVersioned } from "@ganeti-ts/job-queue";
import type { GanetiSite } from "@ganeti-ts/machines";
import { type Job, type JobId, secureRandom, systemClock } from "@ganeti-ts/protocol";
import * as z from "zod";
import { absent } from "./local-files.js";
import { wasMadeHere } from "./made-here.js";
import { TakeoverError } from "./takeover-error.js";

type Place = Pick<GanetiSite, "data">;

/** @throws TakeoverError if there is no `config.data`, or it cannot be read as a configuration */
export async function readOriginalConfiguration(
  { data }: Place,
  { upgrade = false } = {},
): Promise<ConfigFile> {
  const path = join(data, "config.data");
  try {
    return readConfigFile(await readFile(path, "utf8"), {
      random: secureRandom,
      now: systemClock.wallMicros() / 1e6,
      upgrade,
    });
  } catch (error) {
    const isSystemError = error instanceof Error && "syscall" in error;
    if (!(error instanceof ConfigError || isSystemError)) throw error;
    throw new TakeoverError(`${path}: ${error.message}`, { cause: error });
  }
}

/** The queue of a master or candidate. */
export interface OriginalQueue {
  /** The last job number that was given out; 0 if there is no queue. */
  readonly serial: number;
  readonly drained: boolean;
  /** Jobs that are not archived, by number. */
  readonly jobs: readonly Job[];
  /** Files that cannot be read as jobs, with the reasons. */
  readonly faults: readonly string[];
}

/** O(jobs that are not archived). */
export async function readOriginalQueue({ data }: Place): Promise<OriginalQueue> {
  const folder = join(data, "queue");
  const serial = Number((await readFile(join(folder, "serial"), "utf8").catch(absent)) ?? 0);
  const names = (await readdir(folder).catch(absent)) ?? [];
  const jobs: Job[] = [];
  const faults: string[] = [];
  for (const name of names) {
    if (!/^job-\d+$/.test(name)) continue;
    try {
      jobs.push(readJobFile(await readFile(join(folder, name), "utf8")));
    } catch (error) {
      faults.push(`queue/${name}: ${(error as Error).message}`);
    }
  }
  jobs.sort((a, b) => a.id - b.id);
  const highest = jobs.at(-1)?.id ?? 0;
  return {
    serial: Math.max(Number.isInteger(serial) ? serial : 0, highest),
    drained: names.includes("drain"),
    ...{ jobs, faults },
  };
}

/** Whether this node has the file of an archived job. */
export const isArchived = async ({ data }: Place, id: JobId): Promise<boolean> =>
  (await stat(join(data, "queue", archivedJobFileName(id))).catch(absent)) !== undefined;

/** Data that Ganeti's formats have no place for. */
export interface OriginalRest {
  readonly left: LeftOut;
  /** Limit of the jobs in the queue; null: none. */
  readonly queueSizeMax: number | null;
  /** Whether `gnt-cluster init` made the cluster. */
  readonly wasMadeHere: boolean;
}

/**
 * Data that Ganeti's formats have no place for, from the file that our servers keep in the queue folder; undefined if
 * it is missing.
 * @throws HaltError if a newer version has written it; TakeoverError if it has another form
 */
export async function readOriginalRest({ data }: Place): Promise<OriginalRest | undefined> {
  const file = join(data, "queue", restFileName);
  const text = await readFile(file, "utf8").catch(absent);
  if (text === undefined) return undefined;
  try {
    const rest = readVersioned(file, text, restVersion);
    return {
      left: readLeftOut(rest),
      queueSizeMax: readQueueSizeMax(rest),
      wasMadeHere: wasMadeHere(rest),
    };
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof SyntaxError)) throw error;
    throw new TakeoverError(`${file}: ${error.message}`, { cause: error });
  }
}

const QueuePart = z.object({
  queue: z.object({ sizeMax: z.int().nonnegative().nullable() }).optional(),
});

/** @throws ConfigError `wrong_input` */
function readQueueSizeMax(rest: unknown): number | null {
  const read = QueuePart.safeParse(rest);
  if (read.success) return read.data.queue?.sizeMax ?? null;
  const [issue] = read.error.issues;
  throw new ConfigError("wrong_input", `${issue?.path.join("/")}: ${issue?.message}`);
}

/** Text of an ssconf file without its line break; undefined if it is missing. */
export const readSsconf = async ({ data }: Place, key: string): Promise<string | undefined> =>
  (await readFile(join(data, `ssconf_${key}`), "utf8").catch(absent))?.trimEnd();

/** Digest of the certificate with which this node calls others, as `AA:BB:…`. @throws TakeoverError */
export async function ownDigest({ data }: Place): Promise<string> {
  const path = join(data, "client.pem");
  try {
    return new X509Certificate(await readFile(path)).fingerprint;
  } catch (error) {
    throw new TakeoverError(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
