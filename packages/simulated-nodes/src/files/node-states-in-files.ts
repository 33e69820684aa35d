/** The state of simulated nodes in a directory, so that it outlives the process that simulates them. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type NodeStates, parsedStates } from "../node-states.js";
import { holdDirectory } from "./directory-lock.js";
import { Journal } from "./journal.js";

export interface NodeFilesOptions {
  /** Several processes of this machine simulate the same nodes. Default: one alone. */
  readonly shared?: boolean;
}

/**
 * A state that has been saved outlives the process, however that ends; the machine's own crash may cost
 * the last ones. A call costs the state of the hosts that it changes, and with `shared` of those that
 * others have changed.
 */
export function nodeStatesInFiles(
  directory: string,
  { shared = false }: NodeFilesOptions = {},
): NodeStates {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const journal = new Journal(join(directory, "nodes.journal"));
  const alone = <T>(act: () => T): T => (shared ? holdDirectory(directory, act) : act());
  const states: NodeStates = {
    load: () => alone(() => parsedStates(journal.news())),
    save: (changed) => journal.add(changed),
  };
  if (!shared) return states;
  return {
    ...states,
    alone: (adopt, act) =>
      alone(() => {
        const changed = journal.news();
        if (changed.size > 0) adopt(parsedStates(changed));
        return act();
      }),
  };
}
