/** Cluster over HTTP: the common part of our server and of a real Ganeti's RAPI. */
import type { FilterExpression, Json, JsonObject } from "@ganeti-ts/protocol";
import { isJsonObject } from "@ganeti-ts/protocol";
import { type Method, RapiError, type RapiOptions } from "@ganeti-ts/rapi-client/transport";
import type {
  Cluster,
  FieldDefinition,
  JobChange,
  LogEntry,
  QueryKind,
  QueryTable,
  RuleParts,
  Seen,
  TagKind,
} from "../cluster.js";
import { prereqError } from "../errors.js";
import type { Administration } from "./administration.js";
import { failureOfCall, failureOfFilter, failureOfQuery } from "./faults.js";
import { ganetiAdministration } from "./ganeti.js";
import { ownAdministration } from "./own.js";
import { outcome, requireList, requireObject, unexpected, Wire, type WireParts } from "./wire.js";

/** Kinds of objects in refusals. */
const called = { node: "Node", group: "NodeGroup", instance: "Instance", network: "Network" };

/** Entry of `features` that only servers of ours have. */
const ownFeature = "opcode-jobs";

export class RemoteCluster implements Cluster {
  readonly #wire: Wire;
  /** Socket of this machine's server; undefined for a remote one. */
  readonly #socket: string | undefined;
  #administration: Promise<Administration> | undefined;
  readonly submit = this.#through("submit");
  readonly changePriority = this.#through("changePriority");
  readonly archive = this.#through("archive");
  readonly autoArchive = this.#through("autoArchive");
  readonly claims = this.#through("claims");
  readonly isDrained = this.#through("isDrained");
  readonly setDrained = this.#through("setDrained");
  readonly watcherPause = this.#through("watcherPause");
  readonly setWatcherPause = this.#through("setWatcherPause");
  readonly renewConfdKey = this.#through("renewConfdKey");

  constructor(server: RapiOptions) {
    this.#wire = new Wire(server);
    this.#socket = server.socketPath;
  }

  async info(): Promise<JsonObject> {
    return requireObject(await this.call("GET", "/2/info"), "/2/info");
  }

  async query(
    kind: QueryKind,
    fields: readonly string[],
    filter: FilterExpression,
  ): Promise<QueryTable> {
    const path = `/2/query/${kind}`;
    const body = { fields, qfilter: filter };
    const answer = requireObject(await this.#asked("PUT", path, { body }), path);
    const data = requireList(answer.data, path).map((row) => requireList(row, path));
    if (!data.every(isRow)) throw unexpected(path);
    return { fields: definitions(answer, path), data };
  }

  async queryFields(kind: QueryKind, names?: readonly string[]): Promise<FieldDefinition[]> {
    const path = `/2/query/${kind}/fields`;
    const query = names === undefined ? {} : { fields: names.join(",") };
    return definitions(requireObject(await this.#asked("GET", path, { query }), path), path);
  }

  async job(id: number): Promise<JsonObject | undefined> {
    const path = `/2/jobs/${id}`;
    const answer = await this.#unlessMissing(() => this.#wire.call("GET", path));
    if (answer === undefined) return undefined;
    const job = requireObject(answer, path);
    // Ganeti answers with an object of nulls instead.
    return job.status === null ? undefined : job;
  }

  async waitForChange(id: number, fields: readonly string[], seen: Seen): Promise<JobChange> {
    const path = `/2/jobs/${id}/wait`;
    const body = {
      fields,
      previous_job_info: seen.values,
      previous_log_serial: seen.serial,
    };
    const answer = await this.#unlessMissing(() => this.#wire.call("GET", path, { body }), noJob);
    if (answer === undefined) return "gone";
    if (answer === null) return "nothing";
    const { job_info: values, log_entries: log } = requireObject(answer, path);
    return {
      values: requireList(values, path),
      log: requireList(log ?? [], path).map((entry) => logEntry(entry, path)),
    };
  }

  cancel(id: number, kill = false): Promise<readonly [boolean, string]> {
    return this.#guard(async () =>
      kill
        ? (await this.#administrate()).kill(id)
        : outcome(await this.#wire.call("DELETE", `/2/jobs/${id}`), "cancel"),
    );
  }

  why(id: number): ReturnType<Cluster["why"]> {
    return this.#unlessMissing(async () => (await this.#administrate()).why(id));
  }

  async tags(kind: TagKind, name = ""): Promise<readonly string[]> {
    const path = kind === "cluster" ? "/2/tags" : `/2/${kind}s/${encodeURIComponent(name)}/tags`;
    try {
      return requireList(await this.#asked("GET", path), path) as readonly string[];
    } catch (error) {
      // The servers give no reason for an unknown object.
      const { status } = ((error as Error).cause ?? {}) as { readonly status?: number };
      if (kind === "cluster" || (status !== 404 && status !== 500)) throw error;
      throw prereqError(`${called[kind]} name ${name} not found`, "unknown_entity");
    }
  }

  async putFilter(uuid: string | null, rule: RuleParts): Promise<string> {
    const [method, path] =
      uuid === null
        ? (["POST", "/2/filters"] as const)
        : (["PUT", `/2/filters/${encodeURIComponent(uuid)}`] as const);
    return String(
      await this.#guard(() => this.#wire.call(method, path, { body: rule }), failureOfFilter),
    );
  }

  async deleteFilter(uuid: string): Promise<void> {
    const path = `/2/filters/${encodeURIComponent(uuid)}`;
    await this.#guard(() => this.#wire.call("DELETE", path), failureOfFilter);
  }

  call(method: Method, path: string, parts: WireParts = {}): Promise<Json> {
    return this.#guard(() => this.#wire.call(method, path, parts));
  }

  /**
   * Operations that differ between the two servers; the kind of server is detected on first use.
   */
  #administrate(): Promise<Administration> {
    this.#administration ??= this.#findOut();
    return this.#administration;
  }

  async #findOut(): Promise<Administration> {
    if (this.#socket !== undefined) return ownAdministration(this.#wire);
    const features = await this.#wire.call("GET", "/2/features");
    const own = Array.isArray(features) && features.includes(ownFeature);
    return own ? ownAdministration(this.#wire) : ganetiAdministration(this.#wire);
  }

  /** An operation that differs, as a method of this class. */
  #through<Name extends keyof Administration>(name: Name) {
    type Operation = (...args: Parameters<Administration[Name]>) => Promise<unknown>;
    return ((...args) =>
      this.#guard(async () => {
        const administration = await this.#administrate();
        return (administration[name] as Operation)(...args);
      })) as Operation as Administration[Name];
  }

  async #guard<Value>(call: () => Promise<Value>, failureOf = failureOfCall): Promise<Value> {
    try {
      return await call();
    } catch (error) {
      throw failureOf(error, this.#socket);
    }
  }

  #asked(method: Method, path: string, parts: WireParts = {}): Promise<Json> {
    return this.#guard(() => this.#wire.call(method, path, parts), failureOfQuery);
  }

  /** Undefined if the server answers that the object does not exist. */
  #unlessMissing<Value>(
    call: () => Promise<Value>,
    isMissing = (_: RapiError) => false,
  ): Promise<Value | undefined> {
    return this.#guard(async () => {
      try {
        return await call();
      } catch (error) {
        const missing = error instanceof RapiError && (error.status === 404 || isMissing(error));
        if (missing) return undefined;
        throw error;
      }
    });
  }
}

type Row = QueryTable["data"][number];

const isRow = (cells: readonly Json[]): cells is Row =>
  cells.every((cell) => Array.isArray(cell) && cell.length === 2);

/** Ganeti's words for an unknown job in a wait. */
const noJob = ({ says }: RapiError): boolean => says === "Can't load job file";

function definitions(answer: JsonObject, path: string): FieldDefinition[] {
  return requireList(answer.fields, path).map((field) => {
    const { name, title, kind, doc } = isJsonObject(field) ? field : {};
    const isText = (one: Json | undefined) => typeof one === "string";
    if (![name, title, kind, doc].every(isText)) throw unexpected(path);
    return { name, title, kind, doc } as FieldDefinition;
  });
}

function logEntry(entry: Json, path: string): LogEntry {
  const [serial, time, type, message = null] = requireList(entry, path);
  return { serial, time, type: String(type), message } as LogEntry;
}
