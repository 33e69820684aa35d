/** In-memory configuration store, for tests and for clusters that live as long as their process. */
import type {
  Commit,
  CommitOutcome,
  ConfigRow,
  ConfigStore,
  StoredConfiguration,
} from "./store.js";

/** Number of commits kept for `changesSince`; older ones are `too old`. */
const historyMax = 1000;

interface Contents {
  serial: number;
  readonly rows: Map<string, ConfigRow>;
  /** Rows by commit, oldest first. */
  readonly history: ConfigRow[][];
  readonly listeners: Set<() => void>;
}

/** Several stores with the same contents behave like processes that share a database. */
export function createMemoryStores(count: number): readonly ConfigStore[] {
  const contents: Contents = {
    serial: 0,
    rows: new Map(),
    history: [],
    listeners: new Set(),
  };
  return Array.from({ length: count }, () => new MemoryStore(contents, count > 1));
}

/** A store in memory, for tests and for configurations that are only looked at. */
export const createMemoryStore = (): ConfigStore => createMemoryStores(1)[0] as ConfigStore;

class MemoryStore implements ConfigStore {
  readonly shared: boolean;
  readonly #contents: Contents;
  #tell: () => void = () => {};

  constructor(contents: Contents, shared: boolean) {
    this.shared = shared;
    this.#contents = contents;
  }

  async load(): Promise<StoredConfiguration> {
    const { serial, rows } = this.#contents;
    return { serial, rows: [...rows.values()] };
  }

  async commit({ expectedSerial, serial, rows }: Commit): Promise<CommitOutcome> {
    const contents = this.#contents;
    if (contents.serial !== expectedSerial) return "conflict";
    contents.serial = serial;
    for (const row of rows) {
      const key = `${row.type}/${row.uuid}`;
      if (row.document === null) contents.rows.delete(key);
      else contents.rows.set(key, row);
    }
    contents.history.push([...rows]);
    if (contents.history.length > historyMax) contents.history.shift();
    for (const tell of contents.listeners) if (tell !== this.#tell) tell();
    return "done";
  }

  async changesSince(serial: number): Promise<StoredConfiguration | "too old"> {
    const { history, serial: newest } = this.#contents;
    if (serial >= newest) return { serial: newest, rows: [] };
    const oldest = history[0]?.[0]?.serial ?? newest;
    if (serial < oldest) return "too old";
    const rows = new Map<string, ConfigRow>();
    for (const row of history.flat()) {
      if (row.serial > serial) rows.set(`${row.type}/${row.uuid}`, row);
    }
    return { serial: newest, rows: [...rows.values()] };
  }

  onNews(listener: () => void): void {
    this.#contents.listeners.delete(this.#tell);
    this.#tell = listener;
    this.#contents.listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#contents.listeners.delete(this.#tell);
  }
}
