/** The state of simulated nodes in files, so that a server that is started again finds them as they were. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type NodeStates, parsedStates } from "@ganeti-ts/logical-units/simulated";

const extension = ".json";

/** One file per node; each is written whole or not at all. */
export function nodeStatesInFiles(folder: string): NodeStates {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    load() {
      const names = readdirSync(folder).filter((name) => name.endsWith(extension));
      return parsedStates(
        new Map(
          names.map((name) => [
            // What all nodes share has no name.
            decodeURIComponent(name.slice(0, -extension.length)).replace(/^-$/, ""),
            readFileSync(join(folder, name), "utf8"),
          ]),
        ),
      );
    },
    save(changed) {
      for (const [name, text] of changed) {
        const path = join(folder, `${encodeURIComponent(name || "-")}${extension}`);
        writeFileSync(`${path}.new`, text, { mode: 0o600 });
        renameSync(`${path}.new`, path);
      }
    },
  };
}
