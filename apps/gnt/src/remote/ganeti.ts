/**
 * Client of a real Ganeti's RAPI, which submits one opcode per request and offers no queue
 * administration.
 */
import type { Json } from "@ganeti-ts/protocol";
import { type Query, RapiError } from "@ganeti-ts/rapi-client/transport";
import type { OpcodeJson, Submitted } from "../cluster.js";
import { ServerLacks } from "../errors.js";
import type { Administration } from "./administration.js";
import { ganetiRequest } from "./ganeti-requests.js";
import type { Wire, WireParts } from "./wire.js";

export function ganetiAdministration(wire: Wire): Administration {
  const lack = (what: string) =>
    new ServerLacks(`${wire.name} is a server of Ganeti: its remote API cannot ${what}.`);
  const lacking = (what: string) => async (): Promise<never> => {
    throw lack(what);
  };
  return {
    async submit(jobs) {
      const calls = jobs.map((opcodes) => {
        const [opcode, ...more] = opcodes;
        const parts = opcode === undefined || more.length > 0 ? undefined : requestOf(opcode);
        if (typeof parts === "object") return parts;
        const what = opcodes.map(({ OP_ID }) => OP_ID).join(", ");
        throw lack(parts === undefined ? `submit ${what}` : `say ${parts} of ${what}`);
      });
      const answers: Submitted[] = [];
      // Sequentially, so that they enter the queue in this order.
      for (const call of calls) answers.push(await submitted(wire, call));
      return answers;
    },
    kill: lacking("kill jobs"),
    changePriority: lacking("change the priority of jobs"),
    archive: lacking("archive jobs"),
    autoArchive: lacking("archive jobs"),
    why: lacking("say why a job does not run"),
    claims: lacking("show what jobs hold"),
    isDrained: lacking("show the drain flag"),
    setDrained: lacking("set the drain flag"),
    watcherPause: lacking("show the watcher's pause"),
    setWatcherPause: lacking("pause the watcher"),
    renewConfdKey: lacking("renew the key of configuration queries"),
  };
}

interface Call extends WireParts {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly path: string;
}

async function submitted(wire: Wire, { method, path, ...parts }: Call): Promise<Submitted> {
  try {
    return { id: Number(await wire.call(method, path, parts)) };
  } catch (error) {
    if (!(error instanceof RapiError) || error.status !== 400) throw error;
    const refused = error.says ?? error.message;
    return { refused, error: ["OpPrereqError", [refused, "wrong_input"]] };
  }
}

/** Parameters that a request passes in another way, or not at all. */
const saidOtherwise = new Set(["OP_ID", "reason", "debug_level"]);

/** Undefined without such a request, a text if it cannot pass a parameter. */
export function requestOf(opcode: OpcodeJson): Call | string | undefined {
  const request = ganetiRequest(opcode);
  if (request === undefined) return undefined;
  const query: Record<string, Query[string]> = {};
  const reason = userReason(opcode.reason);
  if (reason !== undefined) query.reason = reason;
  const inPath = new Set<string>();
  const path = request.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name);
    return encodeURIComponent(String(opcode[name]));
  });
  const body: Record<string, Json> = { ...request.beside };
  for (const [name, value = null] of Object.entries(opcode)) {
    if (saidOtherwise.has(name) || inPath.has(name)) continue;
    const argument = request.query?.[name];
    if (argument !== undefined) {
      if (argument !== "" && saysSomething(value)) query[argument] = queryValue(name, value);
    } else if (request.body) {
      if (name !== "dry_run" || value === true) body[name] = value;
    } else if (saysSomething(value)) return name;
  }
  return { method: request.method, path, query, ...(request.body ? { body } : {}) };
}

/** All these parameters default to false, null or an empty list. */
const saysSomething = (value: Json): boolean =>
  !(value === null || value === false || value === 0 || isEmpty(value));

const isEmpty = (value: Json) =>
  typeof value === "object" && Object.keys(value as object).length === 0;

function queryValue(name: string, value: Json): Query[string] {
  if (value === true) return 1;
  if (!Array.isArray(value)) return String(value);
  return name === "tags" ? value.map(String) : value.join(",");
}

function userReason(trail: Json | undefined): string | undefined {
  const entry = (Array.isArray(trail) ? trail : []).find(
    (one) => Array.isArray(one) && one[0] === "gnt:user",
  );
  return Array.isArray(entry) ? String(entry[1]) : undefined;
}
