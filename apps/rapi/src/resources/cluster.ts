/** The cluster as a whole: `/`, `/2`, `/version`, and what stands beside the collections. */
import { isFinalized, type JobId, type JobStatus, type Json, RapiInfo } from "@ganeti-ts/protocol";
import { z } from "zod";
import { HttpFault } from "../http/fault.js";
import type { World } from "../world.js";
import { fillOpcode, reasonTrail, submit, submits } from "./job-method.js";
import { bulkText } from "./listing.js";
import { type Call, type Method, Rendered, type Resource } from "./resource.js";
import { tagsResource } from "./tags.js";

const nothing: Method = {
  summary: "Nothing",
  access: "anybody",
  answer: z.null(),
  handle: () => null,
};

/** What clients ask for before they use it. The last five are ours. */
const features = [
  ...["instance-create-reqv1", "instance-reinstall-reqv1", "node-migrate-reqv1"],
  ...["node-evac-res1", "forthcoming-instances", "job-filters", "uuid-addressing"],
  ...["instance-repair", "opcode-jobs"],
];

const modifyCluster = submits({
  summary: "Changes the cluster's parameters",
  source: "cluster_modify",
  opcode: "OP_CLUSTER_SET_PARAMS",
  body: ({ query, body }) => {
    const forbidden = "compression_tools";
    if (query.has(forbidden) || Object.hasOwn(Object(body ?? {}), forbidden)) {
      throw new HttpFault(403, `The parameter ${forbidden} cannot be set via RAPI`);
    }
    return body;
  },
});

const redistribute = submits({
  summary: "Sends the configuration to all nodes again",
  source: "redist_config",
  opcode: "OP_CLUSTER_REDIST_CONF",
  body: "ignored",
});

const osFields = [
  ...["name", "valid", "variants", "parameters", "api_versions"],
  ...["blacklisted", "hidden", "trusted"],
];

const operatingSystems: Method = {
  summary: "Operating systems that can be installed, with their variants; asks the nodes",
  access: "anybody",
  query: { bulk: bulkText },
  answer: z.union([z.array(z.string()), z.array(z.looseObject({ name: z.string() }))]),
  opcodes: ["OP_OS_DIAGNOSE"],
  waits: true,
  handle: async (call, world) => {
    const bulk = call.query.flag("bulk");
    const output_fields = bulk ? osFields : ["name", "variants"];
    const reason = reasonTrail(call, "os", world);
    const opcode = fillOpcode("OP_OS_DIAGNOSE", {}, { output_fields, names: [], reason });
    const rows = await resultOf(await submit([opcode], world), call, world);
    if (!Array.isArray(rows)) throw new HttpFault(502, "Can't get OS list");
    if (bulk) {
      return rows.map((row: Json[]) =>
        Object.fromEntries(osFields.map((field, at) => [field, row[at] ?? null])),
      );
    }
    return rows.flatMap(([name, variants]: [string, string[]]) =>
      variants.length === 0 ? [name] : variants.map((variant) => `${name}+${variant}`),
    );
  },
};

/** What the only opcode of a job resulted in; undefined if it failed. */
async function resultOf(id: JobId, call: Call, { queue }: World): Promise<Json | undefined> {
  let previousValues: readonly Json[] | null = null;
  for (;;) {
    const answer = await queue.waitForChange(id, {
      fields: ["status", "opresult"],
      ...{ previousValues, previousSerial: 1e9, timeoutMs: 60_000, signal: call.signal },
    });
    if (answer === "nochange") continue;
    const [status, results] = answer.values as [JobStatus, Json[]];
    if (isFinalized(status)) return status === "success" ? results[0] : undefined;
    previousValues = answer.values;
  }
}

export const clusterResources: readonly Resource[] = [
  { path: "/", methods: { GET: nothing } },
  { path: "/2", methods: { GET: nothing } },
  {
    path: "/version",
    methods: {
      GET: {
        summary: "The version of this API",
        access: "anybody",
        answer: z.literal(2),
        handle: () => 2,
      },
    },
  },
  {
    path: "/2/info",
    methods: {
      GET: {
        summary: "The cluster as a whole",
        access: "anybody",
        answer: RapiInfo,
        handle: (_, { objects }) => new Rendered(`${objects.infoText()}\n`),
      },
    },
  },
  {
    path: "/2/features",
    methods: {
      GET: {
        summary: "What this server can do that others cannot",
        access: "anybody",
        answer: z.array(z.string()),
        handle: () => features,
      },
    },
  },
  { path: "/2/modify", methods: { PUT: modifyCluster } },
  { path: "/2/redistribute-config", methods: { PUT: redistribute } },
  { path: "/2/os", methods: { GET: operatingSystems } },
  tagsResource({
    path: "/2/tags",
    source: "tags",
    kind: "cluster",
    read: (_, { objects }) => objects.tags("cluster", "") ?? [],
  }),
];
