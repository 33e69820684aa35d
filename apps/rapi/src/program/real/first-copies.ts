/** firstCopies: files in Ganeti's formats on the master of a new cluster, which the server keeps and distributes from then on. */

import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ganetiFile, type Snapshot, ssconfValues } from "@ganeti-ts/config";
import type { GanetiSite } from "@ganeti-ts/machines";
import { type Adopted, ownPresentConfiguration, stampsIn, writeAdopted } from "@ganeti-ts/takeover";
import type { DataDirectory } from "../data-directory.js";

/**
 * Writes `config.data`, the ssconf files and an empty queue, and records in the data directory that they are the
 * server's own. A server that starts with an incomplete queue writes the files of all jobs, and their number. The
 * daemon of the node corrects owners where users of Ganeti's packages exist.
 */
export async function firstCopies(
  now: Snapshot,
  site: GanetiSite,
  directory: DataDirectory,
  { queueIsComplete }: Pick<Adopted, "queueIsComplete"> = { queueIsComplete: true },
): Promise<void> {
  const write = (name: string, text: string, mode: number) => {
    const path = join(site.data, name);
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    chmodSync(`${path}.new`, mode);
    renameSync(`${path}.new`, path);
  };
  for (const [key, text] of Object.entries(ssconfValues(now))) write(`ssconf_${key}`, text, 0o444);
  for (const folder of ["queue", "queue/archive", "rapi"]) {
    mkdirSync(join(site.data, folder), { recursive: true, mode: 0o750 });
  }
  write("queue/serial", "0\n", 0o640);
  write("config.data", ganetiFile(now.content(), []).text, 0o640);
  await ownPresentConfiguration(site, stampsIn(directory.ownStamps));
  writeAdopted(directory.adopted, { state: "made here", site, queueIsComplete });
}
