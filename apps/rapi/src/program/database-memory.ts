/** File with the last commits of a shared database that were acknowledged to this server, for its next process. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { HaltError, readVersioned } from "@ganeti-ts/job-queue";
import * as z from "zod";
import { StartError } from "./start-error.js";

const Known = z.object({ number: z.int(), mark: z.string() });

const version = 1;

const Memory = z.object({
  /** The last step of the job queue, and the last commit of the configuration. */
  jobs: Known.optional(),
  config: Known.optional(),
});

export type Memory = z.infer<typeof Memory>;

/** Interval (ms) of writing the file; after a kill, more recent commits are missing in it. */
const intervalMs = 5000;

/** Empty if there is no file. @throws StartError, HaltError */
export function readMemory(file: string): Memory {
  if (!existsSync(file)) return {};
  try {
    return Memory.parse(readVersioned(file, readFileSync(file, "utf8"), version));
  } catch (error) {
    if (error instanceof HaltError) throw error;
    throw new StartError(
      `${file} cannot be read: remove it once gnt-instance list agrees with what runs on the nodes`,
      { cause: error },
    );
  }
}

/** Writes the result of `now` to the file repeatedly, until `stop`. */
export function keepMemory(file: string, now: () => Memory) {
  let written = "";
  const write = () => {
    const text = `${JSON.stringify({ version, ...now() })}\n`;
    if (text === written) return;
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    written = text;
  };
  write();
  const timer = setInterval(write, intervalMs);
  timer.unref();
  return {
    write,
    stop() {
      clearInterval(timer);
      write();
    },
  };
}
