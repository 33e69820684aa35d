/** Files of the master in memory, which a server stores in Ganeti's data directory. */
import { ForeignChangeError, type GanetiFiles } from "../src/index.js";

export interface MemoryFiles extends GanetiFiles {
  readonly configurations: string[];
  readonly queue: Map<string, string>;
  isDrained: boolean;
  /** If set, another program is the master, for this reason. */
  foreign: string | undefined;
  /** If set, all writes fail with this error. */
  fault: Error | undefined;
}

export function memoryFiles(): MemoryFiles {
  const mayWrite = () => {
    if (files.fault !== undefined) throw files.fault;
  };
  const files: MemoryFiles = {
    configurations: [],
    queue: new Map(),
    isDrained: false,
    foreign: undefined,
    fault: undefined,
    async writeConfiguration(text) {
      mayWrite();
      if (files.foreign !== undefined) throw new ForeignChangeError(files.foreign);
      files.configurations.push(text);
      const attributes = { owner: "gnt-masterd", group: "gnt-confd", accessedAt: 1, modifiedAt: 1 };
      return { mode: 0o100640, ...attributes };
    },
    foreignChange: async () => files.foreign,
    async writeQueueFile(name, text) {
      mayWrite();
      files.queue.set(name, text);
    },
    async moveQueueFiles(moves) {
      for (const [from, to] of moves) {
        const text = files.queue.get(from);
        files.queue.delete(from);
        if (text !== undefined) files.queue.set(to, text);
      }
    },
    async setDrained(drained) {
      files.isDrained = drained;
    },
  };
  return files;
}
