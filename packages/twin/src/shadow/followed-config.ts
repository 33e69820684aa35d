/** FollowedConfig: a read-only configuration store that follows a file written by another program. */
import { readFileSync, statSync } from "node:fs";
import {
  type ConfigRow,
  type ConfigStore,
  createConfiguration,
  createMemoryStore,
  createMemoryStores,
  readConfigFile,
} from "@ganeti-ts/config";
import { type FilterRule, secureRandom, systemClock } from "@ganeti-ts/protocol";

/** Interval (ms) of checks whether the file has been replaced. */
const lookMs = 200;

/** A store that follows a file. */
export interface FollowedConfig {
  /** Rejects commits. */
  readonly store: ConfigStore;
  /** Filter rules of the file. */
  rules(): readonly FilterRule[];
  /** Reads the file again if it has been replaced; says whether it had. */
  look(): Promise<boolean>;
  stop(): void;
}

/**
 * The writer replaces the file as a whole (a new file is renamed over it), so that no partial state is read. Only
 * objects whose text differs count as changed. @param failed gets errors of later states
 * @throws ConfigError, what the system says about the first state
 */
export async function followConfig(
  file: string,
  failed: (error: unknown) => void,
): Promise<FollowedConfig> {
  const [writer, reader] = createMemoryStores(2) as [ConfigStore, ConfigStore];
  let version = versionOf(file);
  let { rows, rules } = await readRows(file);
  let serial = Math.max(1, ...Array.from(rows.values(), (row) => row.serial));
  await writer.commit({ expectedSerial: 0, serial, rows: [...rows.values()] });

  const look = async (): Promise<boolean> => {
    const seen = versionOf(file);
    if (seen === version) return false;
    const newer = await readRows(file);
    version = seen;
    rules = newer.rules;
    const changed = changedRows(rows, newer.rows);
    rows = newer.rows;
    if (changed.length === 0) return false;
    const expectedSerial = serial;
    serial += 1;
    const ofStep = changed.map((row) => ({ ...row, serial }));
    await writer.commit({ expectedSerial, serial, rows: ofStep });
    return true;
  };
  // One at a time: each look continues from the state of the one before.
  let looking: Promise<unknown> = Promise.resolve();
  const turn = (): Promise<boolean> => {
    const next = looking.then(look);
    looking = next.catch(() => undefined);
    return next;
  };
  const timer = setInterval(() => turn().catch(failed), lookMs);
  timer.unref();
  return {
    store: { ...readOnly(reader) },
    rules: () => rules,
    look: turn,
    stop: () => clearInterval(timer),
  };
}

/** Differs after each replacement. */
function versionOf(file: string): string {
  const { ino, mtimeNs, size } = statSync(file, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}

type Rows = ReadonlyMap<string, ConfigRow>;

async function readRows(file: string) {
  const { content, filters } = readConfigFile(readFileSync(file, "utf8"), {
    random: secureRandom,
    now: systemClock.wallMicros() / 1e6,
  });
  const store = createMemoryStore();
  await createConfiguration(store, content);
  const { rows } = await store.load();
  return {
    rows: new Map(Array.from(rows, (row) => [`${row.type}/${row.uuid}`, row])),
    rules: filters,
  };
}

function changedRows(before: Rows, after: Rows): readonly ConfigRow[] {
  const put = [...after].flatMap(([key, row]) =>
    before.get(key)?.document === row.document ? [] : [row],
  );
  const gone = [...before].flatMap(([key, row]) =>
    after.has(key) ? [] : [{ ...row, document: null }],
  );
  return [...put, ...gone];
}

const readOnly = (store: ConfigStore): ConfigStore => ({
  shared: true,
  load: () => store.load(),
  commit: () => Promise.reject(new Error("a shadow changes nothing")),
  changesSince: (serial) => store.changesSince(serial),
  onNews: (listener) => store.onNews(listener),
  close: () => store.close(),
});
