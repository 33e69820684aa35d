/** The queries of `gnt-debug confd` by name: their type, their arguments, and how an answer reads. */
import { type ConfdArgument, type ConfdType, confdTypes, queryKeys } from "@ganeti-ts/confd";
import type { Json } from "@ganeti-ts/protocol";
import { writeJson } from "@ganeti-ts/protocol";
import { Ending } from "../../errors.js";

export interface ConfdQuestion {
  readonly type: ConfdType;
  readonly query: ConfdArgument;
}

interface NamedQuery {
  readonly type: ConfdType;
  readonly min: number;
  readonly max: number;
  /** The query for arguments of any accepted number. */
  readonly query?: (args: readonly string[], link: string | undefined) => ConfdArgument;
}

const only = (type: ConfdType): NamedQuery => ({ type, min: 0, max: 0 });
const about = (type: ConfdType): NamedQuery => ({ type, min: 1, max: 1 });
const perhapsAbout = (type: ConfdType): NamedQuery => ({ type, min: 0, max: 1 });

/** Fields of the master by name, in the order of their numbers. */
const masterFieldNames: readonly string[] = ["name", "cluster-ip", "node-ip"];

/** The answer of `node-role`, by number. */
const roleNames: readonly string[] = ["master", "candidate", "offline", "drained", "regular"];

const queries: Readonly<Record<string, NamedQuery>> = {
  ping: only(confdTypes.ping),
  "node-role": about(confdTypes.nodeRole),
  "node-ip": {
    type: confdTypes.nodeIpOfInstanceIp,
    min: 1,
    max: Number.POSITIVE_INFINITY,
    query: ([first = "", ...more], link) => ({
      ...(link === undefined ? {} : { [queryKeys.link]: link }),
      ...(more.length === 0 ? { [queryKeys.ip]: first } : { [queryKeys.ips]: [first, ...more] }),
    }),
  },
  master: {
    type: confdTypes.clusterMaster,
    min: 0,
    max: masterFieldNames.length,
    query: (names) => (names.length === 0 ? null : { [queryKeys.fields]: names.map(masterField) }),
  },
  "node-ips": only(confdTypes.nodeIps),
  "candidate-ips": only(confdTypes.candidateIps),
  "instance-ips": perhapsAbout(confdTypes.instanceIps),
  "node-drbd": about(confdTypes.nodeDrbd),
  "node-instances": about(confdTypes.nodeInstances),
  "instance-disks": about(confdTypes.instanceDisks),
  "config-value": about(confdTypes.configValue),
  collectors: only(confdTypes.dataCollectors),
  "offline-nodes": only(confdTypes.offlineNodes),
  instances: only(confdTypes.instances),
  "instance-nodes": perhapsAbout(confdTypes.instanceNodes),
};

export const confdQueryNames: readonly string[] = Object.keys(queries);

/** @throws Ending for an unknown name and a wrong number of arguments */
export function confdQuestion(
  name: string,
  args: readonly string[],
  link: string | undefined,
): ConfdQuestion {
  const named = Object.hasOwn(queries, name) ? queries[name] : undefined;
  if (named === undefined) {
    throw new Ending(`There is no query '${name}': ${confdQueryNames.join(", ")}.`);
  }
  const { type, min, max, query = ([first = null]) => first } = named;
  if (args.length < min || args.length > max) {
    const wanted = max === 0 ? "no argument" : min === 0 ? `at most ${max}` : "an argument";
    throw new Ending(`Query '${name}' takes ${wanted}, ${args.length} given.`);
  }
  if (link !== undefined && name !== "node-ip") {
    throw new Ending("--link is for the query 'node-ip'; 'instance-ips' takes it as its argument.");
  }
  return { type, query: query(args, link) };
}

function masterField(name: string): 0 | 1 | 2 {
  const field = masterFieldNames.indexOf(name);
  if (field >= 0) return field as 0 | 1 | 2;
  throw new Ending(`The master has no field '${name}': ${masterFieldNames.join(", ")}.`);
}

/** Lines for people: texts as they are, a list of them one below the other, all else as JSON. */
export function answerLines(name: string, answer: Json): readonly string[] {
  if (name === "node-role" && typeof answer === "number") {
    return [roleNames[answer] ?? String(answer)];
  }
  const list = Array.isArray(answer) ? (answer as readonly Json[]) : [answer];
  return list.map((one) => (typeof one === "string" ? one : writeJson(one)));
}
