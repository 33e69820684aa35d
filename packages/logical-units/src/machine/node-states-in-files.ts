/** The state of simulated nodes in a directory: one file for each, so that a change writes one. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type NodeStates, parsedStates } from "../simulated/node-states.js";
import { type ChangeLog, openChangeLog } from "./change-log.js";
import { holdDirectory } from "./directory-lock.js";

const suffix = ".json";
/** No host has this name. */
const sharedFile = "+shared";

export interface NodeFilesOptions {
  /** Several processes of this machine simulate the same nodes. Default: one alone. */
  readonly shared?: boolean;
}

/**
 * A state that has been saved outlives the process, however that ends; the machine's own crash may cost
 * the last ones. With `shared` a call costs the files that others have changed besides its own.
 */
export function nodeStatesInFiles(
  directory: string,
  { shared = false }: NodeFilesOptions = {},
): NodeStates {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const log = shared ? openChangeLog(directory) : undefined;
  const read = (names: Iterable<string>) =>
    parsedStates(
      new Map(Array.from(names, (name) => [name, readFileSync(pathOf(directory, name), "utf8")])),
    );
  const states: NodeStates = {
    load: () => read(namesIn(directory)),
    save(changed) {
      for (const [name, text] of changed) {
        const path = pathOf(directory, name);
        // A file is whole or it is the one before.
        writeFileSync(`${path}.new`, text, { mode: 0o600 });
        renameSync(`${path}.new`, path);
      }
      log?.add([...changed.keys()]);
    },
  };
  if (log === undefined) return states;
  return {
    load: () => holdDirectory(directory, () => loadFrom(log, states)),
    save: states.save,
    alone: (adopt, act) =>
      holdDirectory(directory, () => {
        const changed = log.news();
        if (changed === "all") adopt(read(namesIn(directory)));
        else if (changed.length > 0) adopt(read(changed));
        return act();
      }),
  };
}

function loadFrom(log: ChangeLog, states: NodeStates) {
  log.news();
  return states.load();
}

const pathOf = (directory: string, name: string): string =>
  join(directory, encodeURIComponent(name || sharedFile) + suffix);

const namesIn = (directory: string): string[] =>
  readdirSync(directory)
    .filter((file) => file.endsWith(suffix))
    .map((file) => decodeURIComponent(file.slice(0, -suffix.length)))
    .map((name) => (name === sharedFile ? "" : name));
