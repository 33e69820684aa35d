/** The state of simulated nodes in a directory: one file for each, so that a change writes one. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type NodeStates, parsedStates } from "../simulated/node-states.js";

const suffix = ".json";
/** No host has this name. */
const sharedFile = "+shared";

/**
 * A state that has been saved outlives the process, however that ends; the machine's own crash may cost
 * the last ones. One process at a time.
 */
export function nodeStatesInFiles(directory: string): NodeStates {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return {
    load() {
      const texts = new Map<string, string>();
      for (const file of readdirSync(directory)) {
        if (!file.endsWith(suffix)) continue;
        const name = decodeURIComponent(file.slice(0, -suffix.length));
        texts.set(name === sharedFile ? "" : name, readFileSync(join(directory, file), "utf8"));
      }
      return parsedStates(texts);
    },
    save(changed) {
      for (const [name, text] of changed) {
        const file = join(directory, encodeURIComponent(name || sharedFile) + suffix);
        // A file is whole or it is the one before.
        writeFileSync(`${file}.new`, text, { mode: 0o600 });
        renameSync(`${file}.new`, file);
      }
    },
  };
}
