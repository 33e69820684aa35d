/** ssconf files of the server's machine: configuration values that Ganeti's programs read. */
import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "@ganeti-ts/cluster";
import { mayChangeSsconf, ssconfValues } from "@ganeti-ts/config";
import type { Clock } from "@ganeti-ts/protocol";

const prefix = "ssconf_";

/** Ratio of the pause to the time of computing all values, so that it takes at most a fiftieth of the time. */
const restFactor = 50;

export interface SsconfPorts {
  readonly cluster: Pick<Cluster, "snapshot" | "onChange">;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

/**
 * Writes all files into `folder`, and afterwards those whose values change: within the step that
 * changes them, or after a pause of fifty times the duration of the last computation of all values.
 * Cost of a computation: O(objects); a step that only changes properties of instances needs none.
 * @returns a function that ends it
 */
export function keepSsconfFiles(
  folder: string,
  { cluster: { snapshot, onChange }, clock, failed }: SsconfPorts,
): () => void {
  let written: Readonly<Record<string, string>> = {};
  let isResting = false;
  let isStale = false;
  let stopRest = () => {};

  const write = () => {
    const values = ssconfValues(snapshot());
    for (const [key, text] of Object.entries(values)) {
      if (written[key] !== text) replaceFile(join(folder, `${prefix}${key}`), text);
    }
    for (const name of readdirSync(folder)) {
      const isOld = name.startsWith(prefix) && !Object.hasOwn(values, name.slice(prefix.length));
      if (isOld) rmSync(join(folder, name), { force: true });
    }
    written = values;
  };
  const look = () => {
    isStale = false;
    const begun = clock.now();
    try {
      write();
    } catch (error) {
      // Makes the next step write every file again.
      written = {};
      failed(error);
    }
    isResting = true;
    stopRest = clock.after((clock.now() - begun) * restFactor, () => {
      isResting = false;
      if (isStale) look();
    });
  };

  write();
  const stopFollowing = onChange((step) => {
    if (!mayChangeSsconf(step)) return;
    isStale = true;
    if (!isResting) look();
  });
  return () => {
    stopFollowing();
    stopRest();
  };
}

/** Replaces a file atomically. */
function replaceFile(path: string, text: string): void {
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, text, { mode: 0o444 });
  renameSync(fresh, path);
}
