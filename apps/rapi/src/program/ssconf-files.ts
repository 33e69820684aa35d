/** ssconf files of the machine that the server runs on: the values of the configuration that Ganeti's programs read. */
import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "@ganeti-ts/cluster";
import { mayChangeSsconf, ssconfValues } from "@ganeti-ts/config";
import type { Clock } from "@ganeti-ts/protocol";

const prefix = "ssconf_";

/** Part of the time that writing may take on a cluster of any size: a fiftieth. */
const restFactor = 50;

export interface SsconfPorts {
  readonly cluster: Pick<Cluster, "snapshot" | "onChange">;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

/**
 * Writes all files into `folder`, and from then on those whose values change: within the step that
 * changes them, or after a rest of fifty times as long as the last look at all values took.
 * Cost of a look: O(objects); a step that only changes what instances are like needs none.
 * @returns what ends it
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
      // Each file is written again with the next step.
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

/** At once, so that no reader sees a part. */
function replaceFile(path: string, text: string): void {
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, text, { mode: 0o444 });
  renameSync(fresh, path);
}
