/** Methods that answer with a job: its opcode is built from path, query and body. */
import {
  decodeOpcode,
  isJsonObject,
  JobId,
  type Json,
  type JsonObject,
  nanosecondsOf,
  type OpcodeId,
  opcodeCatalog,
} from "@ganeti-ts/protocol";
import type * as z from "zod";
import type { Access } from "../auth/authenticate.js";
import { HttpFault, typeName } from "../http/fault.js";
import type { World } from "../world.js";
import { faultOfQueue } from "./queue-fault.js";
import type { Call, Method } from "./resource.js";

/** How a request becomes one opcode, beyond the parts of its path. */
export interface JobOptions {
  /** `write` if absent. */
  readonly access?: Access;
  /** Name in reason trails; by default the resource's path without its variable parts. */
  readonly source?: string;
  /** Booleans of the query; the parameters have underscores for hyphens. */
  readonly flags?: readonly string[];
  /** Further arguments of the query, each with one line about it. */
  readonly query?: Readonly<Record<string, string>>;
  /** Further parameters, which the body must not contain, and their source. */
  readonly fixed?: {
    readonly names: readonly string[];
    readonly of: (call: Call) => JsonObject;
  };
  /** Older names of parameters, with the current ones. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Keys of the body that are not parameters. */
  readonly besides?: Readonly<Record<string, z.ZodType>>;
  /** Of an ignored body, only `depends` is read. A function returns a replacement for the body. */
  readonly body?: "ignored" | ((call: Call) => Json | undefined);
  /** Further parts of the method's description. */
  readonly also?: Partial<Method>;
}

/** Arguments that several methods take. */
const flagTexts: Readonly<Record<string, string>> = {
  "dry-run": "1 only checks whether the job could be carried out",
  force: "1 does it even where that is not advised",
};

export const reasonText = "Why; in the job's trail of reasons it follows the user";

/**
 * A method that submits one opcode, and answers with the job's id. A part of the resource's path is a parameter if the
 * opcode has one of that name: `{node}` is `node_name`.
 */
export const submits =
  (id: OpcodeId, summary: string, options: JobOptions = {}) =>
  (resource: string): Method => {
    const { source = sourceOf(resource), flags = [], fixed, rename, besides, body } = options;
    const parts = partsOf(resource).filter(
      (part) => `${part}_name` in opcodeCatalog[id].schema.shape,
    );
    const named = { ...(rename && { rename }), ...(besides && { besides }) };
    const fixedNames = [
      ...parts.map((part) => `${part}_name`),
      ...flags.map(parameterOf),
      ...(fixed?.names ?? []),
    ];
    return {
      summary,
      access: options.access ?? "write",
      query: {
        ...Object.fromEntries(flags.map((flag) => [flag, flagTexts[flag] ?? "1 or 0"])),
        ...options.query,
        reason: reasonText,
      },
      answer: JobId,
      opcodes: [id],
      ...(body === "ignored" ? {} : { opcodeBody: { id, without: fixedNames, ...named } }),
      ...options.also,
      handle: (call, world) => {
        const given = bodyOf(body, call);
        const parameters = {
          reason: reasonTrail(call, source, world),
          ...Object.fromEntries(parts.map((part) => [`${part}_name`, call.names[part] as string])),
          ...Object.fromEntries(flags.map((flag) => [parameterOf(flag), call.query.flag(flag)])),
          ...fixed?.of(call),
        };
        return submit([fillOpcode(id, given, parameters, rename)], world);
      },
    };
  };

const parameterOf = (flag: string): string => flag.replaceAll("-", "_");

const partsOf = (resource: string): readonly string[] =>
  Array.from(resource.matchAll(/\{(\w+)\}/g), ([, part]) => part as string);

/** `/2/instances/{instance}/disk/{disk}/grow` is `instances_name_disk_grow`. */
const sourceOf = (resource: string): string =>
  resource
    .replace("/2/", "")
    .replace(/\{\w+\}/, "name")
    .replace(/\/\{\w+\}/, "")
    .replaceAll(/[/-]/g, "_");

function bodyOf(body: JobOptions["body"], call: Call): Json | undefined {
  if (typeof body === "function") return body(call);
  if (body === undefined) return call.body;
  const depends = isJsonObject(call.body) ? call.body.depends : undefined;
  return depends ? { depends } : {};
}

/** Entries for the reason and the resource; the queue of the request adds the user before them. */
export function reasonTrail({ query }: Call, source: string, { clock }: World): Json {
  const now = nanosecondsOf(clock.wallMicros());
  const why = query.text("reason");
  return [
    ...(why === undefined ? [] : [["gnt:user", why, now]]),
    [`gnt:library:rlib2:${source}`, "", now],
  ];
}

/**
 * The opcode of a body and of fixed parameters. Null and empty values are an empty body. @throws
 * HttpFault 400 in Ganeti's words for any fault
 */
export function fillOpcode(
  id: OpcodeId,
  body: Json | undefined,
  fixed: JsonObject,
  rename: Readonly<Record<string, string>> = {},
): JsonObject {
  const given: Record<string, Json> = { ...requireObject(body ?? {}) };
  for (const [old, name] of Object.entries(rename)) {
    const value = given[old];
    if (value === undefined) continue;
    if (given[name] !== undefined) {
      throw new HttpFault(
        400,
        `Parameter '${old}' was renamed to '${name}', but both are specified`,
      );
    }
    delete given[old];
    given[name] = value;
  }
  const overwritten = Object.keys(given).filter((name) => Object.hasOwn(fixed, name));
  if (overwritten.length > 0) {
    const names = overwritten.map((name) => `'${name}'`).join(", ");
    throw new HttpFault(400, `Can't overwrite static parameters {${names}}`);
  }
  const read = decodeOpcode({ ...given, ...fixed, OP_ID: id });
  if (read.ok) return read.opcode as JsonObject;
  const problem = read.fault === "parameter" ? `("${read.problem}", 'wrong_input')` : read.problem;
  throw new HttpFault(400, `Invalid body parameters: ${problem}`);
}

/** @throws HttpFault 400 if the body is not an object */
export function requireObject(body: Json | undefined): JsonObject {
  if (isJsonObject(body)) return body;
  throw new HttpFault(400, `Body contents: Type is '${typeName(body)}', but 'dict' is expected`);
}

/** @throws HttpFault 503 if the queue accepts no jobs */
export async function submit(opcodes: readonly JsonObject[], { queue }: World): Promise<JobId> {
  try {
    return await queue.submit(opcodes);
  } catch (error) {
    throw faultOfQueue(error);
  }
}
