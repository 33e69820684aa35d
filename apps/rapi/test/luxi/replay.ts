/** A recorded session asked again: ids of jobs and rules are those of our cluster, answers are compared. */
import {
  isFinalized,
  isUuid,
  type JobStatus,
  type Json,
  type JsonObject,
  parseJson,
  sameJson,
  writeJson,
} from "@ganeti-ts/protocol";

/** Sends the text of a request, and gives the text of the answer. */
export type Ask = (request: string) => Promise<string>;

interface Answer extends JsonObject {
  readonly success: boolean;
  readonly result: Json;
}

/** Replays one session at a time; learned ids apply to later sessions as well. */
export class Replay {
  readonly #ask: Ask;
  /** Our job for each recorded one. */
  readonly #jobs = new Map<number, number>();
  readonly #uuids = new Map<string, string>();
  /** Messages that were recorded of a job so far. */
  readonly #logs = new Map<number, Json[]>();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Where our answer differs, in words; undefined if it cannot be compared, because it depends on the moment. */
  async differences({ request, response }: JsonObject): Promise<readonly string[] | undefined> {
    if (!isObject(request) || !isObject(response)) return undefined;
    const theirs = response as Answer;
    const { method, args } = request as { method: string; args: Json };
    if (!Array.isArray(args) || args.length === 0) return this.#compared(request, theirs);
    switch (method) {
      case "WaitForJobChange":
        return this.#waited(args, theirs);
      case "QueryJobs":
        return this.#jobsQueried(request, args, theirs);
      case "CancelJob":
      case "ArchiveJob":
      case "ChangeJobPriority":
        return this.#compared(
          { ...request, args: [this.#job(args[0] as Json), ...args.slice(1)] },
          theirs,
        );
      // Their effect depends on all existing jobs.
      case "AutoArchiveJobs":
        return undefined;
      default:
        return this.#compared(this.#translated(request), theirs);
    }
  }

  async #compared(request: JsonObject, theirs: Answer): Promise<readonly string[]> {
    const ours = await this.#answer(request);
    if (ours.success && theirs.success) {
      this.#learn(request, theirs.result, ours.result);
      // Filter rules have an order by UUID: equal places are not equal rules.
      if (!/filter/i.test(writeJson(request).slice(0, 80))) {
        this.#learnUuids(theirs.result, ours.result);
      }
    }
    const kind = Array.isArray(request.args) ? request.args[0] : undefined;
    // The existing jobs and locks depend on the cluster's history.
    if (request.method === "Query" && (kind === "job" || kind === "lock") && theirs.success) {
      return differing(definitions(theirs), definitions(ours), "");
    }
    if (request.method === "Query" && theirs.success && ours.success) {
      return differing(byName(this.#known(theirs).result), byName(ours.result), "");
    }
    if (String(request.method).startsWith("Submit") && theirs.success) {
      return differing(outcomes(theirs), outcomes(ours), "");
    }
    return differing(this.#known(theirs), ours, "");
  }

  /** Compares only the end of a job, with all messages up to it, because earlier states depend on timing. */
  async #waited(args: readonly Json[], theirs: Answer): Promise<readonly string[] | undefined> {
    const id = Number(args[0]);
    const own = this.#jobs.get(id);
    if (!theirs.success) {
      if (typeof theirs.result === "string" || own !== undefined || id > 900_000) {
        const request = {
          method: "WaitForJobChange",
          args: [this.#job(args[0] as Json), ...args.slice(1)],
        };
        return this.#compared(request, theirs);
      }
      return undefined;
    }
    if (own === undefined) return undefined;
    const [values, entries] = theirs.result as [Json[], Json[][]];
    const log = [...(this.#logs.get(id) ?? []), ...entries.map((entry) => entry.slice(2))];
    this.#logs.set(id, log);
    if (args[1] === undefined || !sameJson(args[1], ["status"])) return undefined;
    if (!isFinalized(values[0] as JobStatus)) return undefined;
    const status = await this.#end(own);
    const [row] = (await this.#answer({ method: "QueryJobs", args: [[own], ["oplog"]] }))
      .result as [[Json[][][]]];
    const ourLog = row[0].flat().map((entry) => entry.slice(2));
    return [
      ...differing(values[0] as Json, status, ".status"),
      ...differing(distinct(log), distinct(ourLog), ".log"),
    ];
  }

  async #jobsQueried(
    request: JsonObject,
    [ids, fields]: readonly Json[],
    theirs: Answer,
  ): Promise<readonly string[] | undefined> {
    if (!theirs.success) return this.#compared(request, theirs);
    if (!Array.isArray(ids) || !Array.isArray(fields)) return undefined;
    const rows = theirs.result as readonly (readonly Json[])[];
    const at = fields.indexOf("status");
    const isOver = rows.every((row) => at >= 0 && isFinalized(row[at] as JobStatus));
    if (!isOver || ids.some((id) => !this.#jobs.has(Number(id)))) return undefined;
    for (const id of ids) await this.#end(this.#jobs.get(Number(id)) as number);
    const own = ids.map((id) => this.#job(id));
    const ours = await this.#answer({ method: "QueryJobs", args: [own, fields] });
    return differing(this.#known(theirs), ours, "");
  }

  /** The final status of a job of ours. */
  async #end(id: number): Promise<Json> {
    for (let previous: Json = null; ; ) {
      const args = [id, ["status"], previous, 1e9, 60];
      const { success, result } = await this.#answer({ method: "WaitForJobChange", args });
      if (!success) return result;
      [previous] = result as [Json];
      const status = (previous as Json[])[0] as JobStatus;
      if (isFinalized(status)) return status;
    }
  }

  #learn({ method, args }: JsonObject, theirs: Json, ours: Json): void {
    if (method === "SubmitManyJobs") {
      for (const [at, [ok, id]] of (theirs as [boolean, number][]).entries()) {
        const own = (ours as [boolean, number][])[at];
        if (ok && own?.[0]) this.#jobs.set(id, own[1]);
      }
    } else if (typeof theirs === "number" && typeof ours === "number") {
      if (String(method).startsWith("Submit")) this.#jobs.set(theirs, ours);
    } else if (method === "ReplaceFilter" && (args as Json[])[0] === null) {
      this.#uuids.set(theirs as string, ours as string);
    }
  }

  /** UUIDs at the same places of two answers are those of the same objects. */
  #learnUuids(theirs: Json, ours: Json): void {
    if (Array.isArray(theirs) && Array.isArray(ours) && theirs.length === ours.length) {
      for (const [at, one] of theirs.entries()) this.#learnUuids(one, ours[at] as Json);
    } else if (typeof theirs === "string" && typeof ours === "string") {
      if (isUuid(theirs) && isUuid(ours)) this.#uuids.set(theirs, ours);
    } else if (isObject(theirs) && isObject(ours)) {
      for (const [key, one] of Object.entries(theirs)) this.#learnUuids(one, ours[key] ?? null);
    }
  }

  /** The value with the UUIDs of our objects. */
  #known<Value extends Json>(value: Value): Value {
    let text = writeJson(value);
    for (const [theirs, ours] of this.#uuids) text = text.replaceAll(theirs, ours);
    return parseJson(text) as Value;
  }

  #job(id: Json): Json {
    const own = this.#jobs.get(Number(id));
    if (own === undefined) return id;
    return typeof id === "string" ? String(own) : own;
  }

  #translated(request: JsonObject): JsonObject {
    let text = writeJson(this.#known(request));
    // Dependencies on jobs of this session.
    text = text.replace(
      /"depends":\[\[(\d+),/g,
      (_, id) => `"depends":[[${this.#job(Number(id))},`,
    );
    return parseJson(text) as JsonObject;
  }

  async #answer(request: JsonObject): Promise<Answer> {
    return parseJson(await this.#ask(writeJson(request))) as Answer;
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A table as objects: its definitions, and by the name of each item its cells by field. */
function byName(table: Json): Json {
  const { fields, data } = table as unknown as {
    readonly fields: readonly { readonly name: string }[];
    readonly data: readonly (readonly Json[])[];
  };
  const names = fields.map(({ name }) => name);
  const key = ["name", "uuid"].map((name) => names.indexOf(name)).find((at) => at >= 0) ?? -1;
  if (key < 0 || new Set(names).size < names.length) return table;
  const rows = data.map((row) => [
    String((row[key] as Json[])[1]),
    Object.fromEntries(row.map((cell, at) => [names[at] as string, cell])),
  ]);
  return { fields: fields as never, rows: Object.fromEntries(rows) };
}

const definitions = ({ success, result }: Answer): Json => [
  success,
  isObject(result) ? (result.fields as Json) : result,
];

/** Which jobs of a submission were accepted. */
const outcomes = ({ success, result }: Answer): Json =>
  Array.isArray(result) && success
    ? result.map((entry) => (Array.isArray(entry) && entry[0] === true ? [true] : entry))
    : [success, success ? null : result];

const distinct = (entries: readonly Json[]): Json =>
  [...new Set(entries.map((entry) => normalisedText(writeJson(entry))))].sort();

const replacements: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID"],
  [/aa:00:0\d(:[0-9a-f]{2}){3}/g, "MAC"],
  [/\/srv\/vcluster\/node\d\.example\.com/g, "ROOT"],
  [/\bjob=\d+/g, "job=N"],
  [/\bjob \d+/gi, "job N"],
];

const normalisedText = (text: string): string =>
  replacements.reduce((changed, [pattern, by]) => changed.replace(pattern, by), text);

/** A value with times and ids replaced, in which any two clusters differ. */
function normalised(value: Json): Json {
  if (typeof value === "string") return normalisedText(value);
  if (typeof value === "bigint" || (typeof value === "number" && value > 1.7e9)) return "TIME";
  return value;
}

/** Lists of rows that begin with a name are compared by name. */
const isTable = (value: Json): value is Json[][] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((row) => Array.isArray(row) && row.length > 0);

function differing(theirs: Json, ours: Json, path: string): readonly string[] {
  if (Array.isArray(theirs) && Array.isArray(ours) && theirs.length === ours.length) {
    return theirs.flatMap((one, at) => differing(one, ours[at] as Json, `${path}[${at}]`));
  }
  if (isTable(theirs) && isTable(ours)) {
    const nameOf = (row: Json[]) => writeJson(row[0] as Json);
    const both = theirs.filter((row) => ours.some((own) => nameOf(own) === nameOf(row)));
    return [
      `${path}: ${theirs.length} rows, ours ${ours.length}`,
      ...both.flatMap((row) => {
        const own = ours.find((one) => nameOf(one) === nameOf(row)) as Json[];
        return differing(row, own, `${path}{${nameOf(row)}}`);
      }),
    ];
  }
  if (isObject(theirs) && isObject(ours)) {
    const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
    return [...keys].flatMap((key) => {
      // Items that only one cluster has depend on its history.
      const isAlone = theirs[key] === undefined || ours[key] === undefined;
      if (path === ".rows" && isAlone) return [];
      return differing(theirs[key] ?? missing, ours[key] ?? missing, `${path}.${key}`);
    });
  }
  if (isJobId.test(path)) return [];
  const [a, b] = [normalised(theirs), normalised(ours)];
  return sameJson(a, b) ? [] : [`${path}: ${writeJson(a)}, ours ${writeJson(b)}`];
}

/** Ids of jobs that a job has made; the watermark of a rule. */
const isJobId = /\.jobs\[\d+\]\[1\]$/;

const missing = "(missing)";
