/** Lists that follow the events: only rows that an event names are read again. */
import { useEffect, useState } from "preact/hooks";
import { againInMs, type LiveEvent, onEvent, paced, type RowEvent } from "./live.js";

/** Effect of an event on a list. */
interface Effect<Row> {
  /** Keys of rows to read again. */
  readonly keys?: readonly string[];
  /** Rows that the event itself contains. */
  readonly rows?: readonly Row[];
  /** Any row may have changed; the list need not be read again at once. */
  readonly isStale?: boolean;
}

export interface Source<Row> {
  keyOf(row: Row): string;
  readAll(): Promise<readonly Row[]>;
  /** Rows with these keys; those that are missing in the answer leave the list. */
  readSome(keys: readonly string[]): Promise<readonly Row[]>;
  /** `rows` are the present ones. */
  effectOf(event: RowEvent, rows: ReadonlyMap<string, Row>): Effect<Row>;
}

/** Number of changed rows above which the whole list is read. */
const someMax = 300;

/** Minimum time (ms) between two readings of the whole list for changes that are not urgent. */
const staleMs = 30_000;

/** The present rows of a list, and those to read next. One `refresh` at a time. */
export class Collection<Row> {
  readonly #source: Source<Row>;
  readonly #now: () => number;
  #rows = new Map<string, Row>();
  #changed = new Set<string>();
  #isWhole = true;
  #isStale = false;
  #wholeAtMs = Number.NEGATIVE_INFINITY;

  constructor(source: Source<Row>, now: () => number = () => performance.now()) {
    this.#source = source;
    this.#now = now;
  }

  get rows(): ReadonlyMap<string, Row> {
    return this.#rows;
  }

  /** Applies an event. Returns whether it changed rows directly, and whether rows have to be read. */
  follow(event: LiveEvent): { readonly isChanged: boolean; readonly isDue: boolean } {
    if (event.topic === "reset") {
      this.#isWhole = true;
      return { isChanged: false, isDue: true };
    }
    if (event.topic === "rules") return { isChanged: false, isDue: false };
    const { keys = [], rows = [], isStale = false } = this.#source.effectOf(event, this.#rows);
    for (const key of keys) this.#changed.add(key);
    this.#isStale ||= isStale;
    if (rows.length > 0) {
      this.#rows = new Map(this.#rows);
      for (const row of rows) this.#rows.set(this.#source.keyOf(row), row);
    }
    return { isChanged: rows.length > 0, isDue: keys.length > 0 || isStale };
  }

  /** Reads the rows that have changed since the last call; after a failure they stay due. */
  async refresh(): Promise<void> {
    const isOld = this.#now() - this.#wholeAtMs >= staleMs;
    const keys = [...this.#changed];
    this.#changed = new Set();
    if (this.#isWhole || keys.length > someMax || (this.#isStale && isOld)) {
      return this.#readAll();
    }
    if (keys.length === 0) return;
    try {
      const found = await this.#source.readSome(keys);
      const rows = new Map(this.#rows);
      const present = new Set(found.map((row) => this.#source.keyOf(row)));
      for (const key of keys) if (!present.has(key)) rows.delete(key);
      for (const row of found) rows.set(this.#source.keyOf(row), row);
      this.#rows = rows;
    } catch (error) {
      for (const key of keys) this.#changed.add(key);
      throw error;
    }
  }

  async #readAll(): Promise<void> {
    this.#isWhole = false;
    this.#isStale = false;
    this.#wholeAtMs = this.#now();
    try {
      const rows = await this.#source.readAll();
      this.#rows = new Map(rows.map((row) => [this.#source.keyOf(row), row]));
    } catch (error) {
      this.#isWhole = true;
      throw error;
    }
  }

  /** Time (ms) after which a list with changes that are not urgent is due; undefined without any. */
  get staleInMs(): number | undefined {
    return this.#isStale ? Math.max(0, this.#wholeAtMs + staleMs - this.#now()) : undefined;
  }
}

export interface Listed<Row> {
  /** Undefined before the first answer. */
  readonly rows: ReadonlyMap<string, Row> | undefined;
  readonly problem: string | undefined;
}

/** Hook: the rows of a source, which is opened again when `key` changes. */
export function useCollection<Row>(key: string, source: Source<Row>): Listed<Row> {
  const [state, setState] = useState<Listed<Row> & { key: string }>({
    ...{ key, rows: undefined, problem: undefined },
  });
  useEffect(() => {
    let isWanted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const collection = new Collection(source);
    const show = (problem?: string) => {
      if (isWanted) setState({ key, rows: collection.rows, problem });
    };
    const { ask, stop } = paced(async () => {
      let inMs: number | undefined;
      try {
        await collection.refresh();
        show();
      } catch (error) {
        const problem = (error as Error).message;
        if (isWanted) {
          setState((old) => ({ key, rows: old.key === key ? old.rows : undefined, problem }));
        }
        inMs = againInMs(error);
      }
      const dueMs = inMs ?? collection.staleInMs;
      clearTimeout(timer);
      if (dueMs !== undefined && isWanted) timer = setTimeout(ask, dueMs);
      return inMs === undefined;
    });
    let frame = 0;
    const unlisten = onEvent((event) => {
      const { isChanged, isDue } = collection.follow(event);
      if (isDue) ask();
      // Events in quick succession are drawn once.
      if (isChanged && frame === 0) {
        frame = requestAnimationFrame(() => {
          frame = 0;
          show();
        });
      }
    });
    return () => {
      isWanted = false;
      clearTimeout(timer);
      stop();
      unlisten();
    };
  }, [key]);
  return state.key === key ? state : { rows: undefined, problem: undefined };
}
