/** A look at the storage of a cluster, by query jobs of the master. */
import type { Cluster } from "@ganeti-ts/htools";
import type { JobOutcome } from "@ganeti-ts/luxi/calls";
import type { JobId, Json, JsonObject } from "@ganeti-ts/protocol";
import { runJobs } from "../../jobs/execute.js";
import type { Opcode, ResultRunner } from "../../jobs/job-runner.js";
import type { Ports } from "../../ports.js";
import { type InstanceStorage, instanceStorage } from "./instance-storage.js";
import {
  lostCopies,
  physicalVolumesIn,
  type StorageFindings,
  volumePlacesIn,
} from "./node-storage.js";

export interface LookPorts {
  readonly runner: ResultRunner;
  readonly ports: Ports;
  /** Adds the common parameters. */
  readonly annotate: (opcode: Opcode) => Opcode;
  /** Reports data that could not be had. */
  readonly warn: (text: string) => void;
}

const templates: readonly string[] = ["drbd", "plain"];

/**
 * One job for the instances of each pair of nodes, so that a node that does not answer hides only its own; one for
 * the physical volumes of all nodes; and, if copies are lost, one for the places of volumes on their nodes.
 */
export async function lookAtStorage(cluster: Cluster, look: LookPorts): Promise<StorageFindings> {
  const { nodes, instances: all } = cluster.data;
  const groups = new Map<string, string[]>();
  for (const { name, diskTemplate, primary, secondary, forthcoming } of all) {
    if (forthcoming || !templates.includes(diskTemplate)) continue;
    const pair = `${primary} ${secondary}`;
    groups.set(pair, [...(groups.get(pair) ?? []), name]);
  }
  const asked = [...groups.values()];
  const [units, ...data] = await answers(look, [
    query("OP_NODE_QUERY_STORAGE", {
      ...{ output_fields: ["node", "name", "free", "allocatable"], nodes: [] },
      storage_type: "lvm-pv",
    }),
    ...asked.map((names) =>
      query("OP_INSTANCE_QUERY_DATA", { use_locking: true, instances: names, static: false }),
    ),
  ]);
  const offline = new Set(nodes.filter((node) => node.offline).map(({ name }) => name));
  const instances = data.flatMap((outcome, at): InstanceStorage[] => {
    const found = resultOf(outcome, `Disks of ${asked[at]?.join(", ")}`, look);
    const byName = typeof found === "object" && found !== null ? (found as JsonObject) : {};
    return Object.values(byName).map((one) =>
      instanceStorage(one as JsonObject, (node) => offline.has(node)),
    );
  });
  const physicalVolumes = physicalVolumesIn(rowsIn(resultOf(units, "Physical volumes", look)));
  const ailing = [...new Set(lostCopies(instances).map(({ node }) => node))];
  if (ailing.length === 0) return { instances, physicalVolumes, places: [] };
  const fields = { output_fields: ["node", "vg", "name", "phys"], nodes: ailing };
  const [places] = await answers(look, [query("OP_NODE_QUERYVOLS", fields)]);
  const rows = rowsIn(resultOf(places, "Volumes", look));
  return { instances, physicalVolumes, places: volumePlacesIn(rows) };
}

const query = (OP_ID: string, parameters: JsonObject): Opcode => ({ OP_ID, ...parameters });

/** Runs each opcode as a job of its own, and waits for all. */
async function answers(
  { runner, ports, annotate }: LookPorts,
  opcodes: readonly Opcode[],
): Promise<readonly JobOutcome[]> {
  let ids: readonly JobId[] = [];
  const jobs = opcodes.map((opcode) => [annotate(opcode)]);
  await runJobs(runner, jobs, ports, (submitted) => {
    ids = submitted;
  });
  return runner.outcomes(ids);
}

/** Undefined, after a warning, if the job failed. */
function resultOf(
  outcome: JobOutcome | undefined,
  what: string,
  { warn }: LookPorts,
): Json | undefined {
  if (outcome?.status === "success") return outcome.results[0];
  warn(`${what} could not be looked at: ${faultOf(outcome)}`);
  return undefined;
}

/** The message in the error of a job's first failed opcode: `["OpPrereqError", ["message", "code"]]`. */
export function faultOf(outcome: JobOutcome | undefined): string {
  const error = outcome?.results.find(Array.isArray) as Json | undefined;
  const [kind, parts] = Array.isArray(error) ? (error as readonly Json[]) : [];
  const [message] = Array.isArray(parts) ? (parts as readonly Json[]) : [];
  if (typeof message === "string") return message;
  return typeof kind === "string" ? kind : `the job ended as ${outcome?.status ?? "unknown"}`;
}

const rowsIn = (value: Json | undefined): readonly (readonly Json[])[] =>
  Array.isArray(value) ? (value as readonly (readonly Json[])[]) : [];
