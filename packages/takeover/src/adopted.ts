/** adopted.json: whether the cluster in the data directory keeps copies in Ganeti's formats, and where on this machine. */

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { readVersioned } from "@ganeti-ts/job-queue";
import type { GanetiSite } from "@ganeti-ts/machines";
import * as z from "zod";

const version = 1;

const AdoptedFile = z.object({
  state: z.enum(["adopted", "made here", "handed back"]),
  site: z.object({ host: z.string(), root: z.string().optional(), data: z.string() }),
  /** Whether candidates held the files of all jobs when the server ended. */
  queueIsComplete: z.boolean(),
});

/** Content of `adopted.json`. */
export interface Adopted {
  /**
   * | value | meaning |
   * | --- | --- |
   * | `adopted` | taken over from Ganeti's daemons, to which it can be handed back |
   * | `made here` | made by `gnt-cluster init` of machines with node daemons of our own |
   * | `handed back` | Ganeti's daemons are the master again; the database is outdated |
   */
  readonly state: "adopted" | "made here" | "handed back";
  readonly site: GanetiSite;
  readonly queueIsComplete: boolean;
}

/** Undefined: the data directory has never held a cluster with files in Ganeti's formats. @throws HaltError */
export function readAdopted(file: string): Adopted | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return adoptedOf(text, file);
}

/** The content of such a file. @throws HaltError */
export function adoptedOf(text: string, file: string): Adopted {
  const { state, site, queueIsComplete } = AdoptedFile.parse(readVersioned(file, text, version));
  return { state, site: { ...site, root: site.root }, queueIsComplete };
}

/** Replaces the file as a whole. */
export function writeAdopted(file: string, adopted: Adopted): void {
  writeFileSync(`${file}.new`, `${JSON.stringify({ version, ...adopted })}\n`, {
    mode: 0o600,
    flush: true,
  });
  renameSync(`${file}.new`, file);
}
