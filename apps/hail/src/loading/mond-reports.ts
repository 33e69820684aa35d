/** Reports of Ganeti's monitoring daemons, limited to CPU load. */
import { DataError } from "@ganeti-ts/htools";
import { quotedList } from "@ganeti-ts/protocol";

export interface Report {
  readonly name: string;
  /** Data of the collector of this name. */
  readonly data: unknown;
}

/** Reads one report; unknown keys, and missing keys other than `category`, are faults. */
export function readReport(value: unknown): Report {
  const report = record(value, [
    "category",
    "data",
    "format_version",
    "kind",
    "name",
    "timestamp",
    "version",
  ]);
  const name = field(report, "name", string);
  field(report, "version", string);
  field(report, "format_version", number);
  field(report, "timestamp", number);
  if (report.category !== undefined) field(report, "category", categoryOrNull);
  field(report, "kind", kind);
  return { name, data: field(report, "data", (data) => data) };
}

/** The load of all CPUs of a node together, from a `cpu-avg-load` report. */
export function readCpuLoad({ data }: Report): number {
  const load = record(data, ["cpu_number", "cpu_total", "cpus"]);
  field(load, "cpu_number", number);
  field(load, "cpus", (cpus) => list(cpus).map(number));
  return field(load, "cpu_total", number);
}

/** The load by instance name, from a `xen-cpu-avg-load` report. */
export function readInstanceLoads({ data }: Report): Map<string, number> {
  return new Map(Object.entries(record(data)).map(([name, load]) => [name, number(load)]));
}

/**
 * Reads the file of `--mond-data`: reports of several nodes. If a node is repeated, its last entry counts.
 */
export function readNodeReports(text: string): Map<string, readonly Report[]> {
  const answers = within("Parsing MonD's answer", () =>
    list(parse(text)).map((node) => record(node)),
  );
  return new Map(
    answers.map((answer) => [
      within("Parsing node's name", () => field(answer, "node", string, "key 'node'")),
      within("Parsing node's reports", () =>
        field(answer, "reports", (reports) => list(reports).map(readReport), "key 'reports'"),
      ),
    ]),
  );
}

function parse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) {
    throw new DataError("Invalid JSON: a JSON text a serialized object or array at the top level.");
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DataError(`Invalid JSON: ${(error as Error).message}`);
  }
}

function within<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof DataError ? new DataError(`${what}: ${error.message}`) : error;
  }
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** An object; if `allowed` is given, with no other keys. */
function record(value: unknown, allowed?: readonly string[]): JsonRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new DataError("Unable to read JSObject");
  }
  const superfluous = Object.keys(value).filter((key) => allowed && !allowed.includes(key));
  if (allowed && superfluous.length > 0) {
    throw new DataError(
      `Superfluous dictionary keys: ${quotedList(superfluous.toSorted())}, but only ${quotedList(allowed)} allowed.`,
    );
  }
  return value as JsonRecord;
}

function field<T>(
  object: JsonRecord,
  key: string,
  read: (value: unknown) => T,
  what = `Can't parse value for '${key}'`,
): T {
  if (object[key] !== undefined) return within(what, () => read(object[key]));
  const keys = quotedList(Object.keys(object));
  throw new DataError(`key '${key}' not found, object contains only ${keys}`);
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new DataError("Unable to read list");
}

function string(value: unknown): string {
  if (typeof value === "string") return value;
  throw new DataError("Unable to read String");
}

function number(value: unknown): number {
  if (typeof value === "number") return value;
  throw new DataError("Unable to read Double");
}

function categoryOrNull(value: unknown): void {
  if (value === null || ["storage", "daemon", "instance", "hypervisor"].includes(String(value)))
    return;
  throw new DataError(`Invalid category name ${String(value)} for type DCCategory`);
}

function kind(value: unknown): void {
  if (value === 0 || value === 1) return;
  throw new DataError(`Invalid JSON value ${JSON.stringify(value)} for type DCKind`);
}
