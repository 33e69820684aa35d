/** Calls about the pause of the watcher, which is a file that contains the time of its end. */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { NodeContext } from "../context.js";
import { ifMissing } from "../failure.js";
import { handlers } from "../handlers.js";
import { replaceFile } from "./replaced-file.js";

/** Time (s) for which an expired pause file is kept. */
const keptSeconds = 3600;

export function watcherCalls({ paths, clock, log }: Pick<NodeContext, "paths" | "clock" | "log">) {
  const path = join(paths.data, "watcher.pause");
  return handlers({
    async get_watcher_pause() {
      const text = await readFile(path, "utf8").catch(ifMissing(null));
      if (text === null) return null;
      const isNumber = /^\s*\d+\s*$/.test(text);
      if (!isNumber) log.warn(`${path} does not hold a time; removing it`);
      const until = Number(text);
      if (isNumber && until + keptSeconds >= clock.wallMicros() / 1e6) return until;
      await rm(path, { force: true });
      return null;
    },
    async set_watcher_pause({ until }) {
      if (until === null) await rm(path, { force: true });
      else await replaceFile(path, `${Math.trunc(until)}\n`, { mode: 0o644 });
    },
  });
}
