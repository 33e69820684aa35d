/**
 * Resources of the cluster as a whole: `/`, `/2`, `/version`, and those next to the collections.
 */
import { type Json, RapiInfo } from "@ganeti-ts/protocol";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import { fillOpcode, reasonTrail, submit, submits } from "./job-method.js";
import { bulkText } from "./listing.js";
import { type Method, Redirect, Rendered, type Resource, resource } from "./resource.js";
import { prefersPage, startPage } from "./start-page.js";
import { tagsResource } from "./tags.js";

const nothing: Method = {
  summary: "Nothing",
  access: "anybody",
  answer: z.null(),
  handle: () => null,
};

const start: Method = {
  ...nothing,
  summary: "Nothing; browsers are sent to the page, or get one that says what there is",
  handle: ({ header }, { ui }) => {
    if (!prefersPage(header("accept"))) return null;
    if (ui !== undefined) return new Redirect("/ui/");
    return new Rendered(startPage, "text/html; charset=utf-8");
  },
};

/** Features that clients check before use. The last five are ours. */
const features = [
  ...["instance-create-reqv1", "instance-reinstall-reqv1", "node-migrate-reqv1"],
  ...["node-evac-res1", "forthcoming-instances", "job-filters", "uuid-addressing"],
  ...["instance-repair", "opcode-jobs"],
];

const modifyCluster = submits("OP_CLUSTER_SET_PARAMS", "Changes the cluster's parameters", {
  source: "cluster_modify",
  body: ({ query, body }) => {
    const forbidden = "compression_tools";
    if (query.has(forbidden) || Object.hasOwn(Object(body ?? {}), forbidden)) {
      throw new HttpFault(403, `The parameter ${forbidden} cannot be set via RAPI`);
    }
    return body;
  },
});

const redistribute = submits(
  "OP_CLUSTER_REDIST_CONF",
  "Sends the configuration to all nodes again",
  { source: "redist_config", body: "ignored" },
);

const osFields = [
  ...["name", "valid", "variants", "parameters", "api_versions"],
  ...["blacklisted", "hidden", "trusted"],
];

const operatingSystems: Method = {
  summary: "Operating systems that can be installed, with their variants; asks the nodes",
  // Requires a user: each request stores a job.
  access: "user",
  query: { bulk: bulkText },
  answer: z.union([z.array(z.string()), z.array(z.looseObject({ name: z.string() }))]),
  opcodes: ["OP_OS_DIAGNOSE"],
  waits: true,
  handle: async (call, world) => {
    const bulk = call.query.flag("bulk");
    const output_fields = bulk ? osFields : ["name", "variants"];
    const reason = reasonTrail(call, "os", world);
    const opcode = fillOpcode("OP_OS_DIAGNOSE", {}, { output_fields, names: [], reason });
    const id = await submit([opcode], world);
    const { status, results } = await world.queue.ended(id, { signal: call.signal });
    const rows = status === "success" ? results[0] : undefined;
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

export const clusterResources: readonly Resource[] = [
  resource("/", { GET: start }),
  resource("/2", { GET: nothing }),
  resource("/version", {
    GET: {
      summary: "The version of this API",
      access: "anybody",
      answer: z.literal(2),
      handle: () => 2,
    },
  }),
  resource("/2/info", {
    GET: {
      summary: "The cluster as a whole",
      access: "anybody",
      answer: RapiInfo,
      handle: (_, { texts }) => new Rendered(`${texts.infoText()}\n`),
    },
  }),
  resource("/2/features", {
    GET: {
      summary: "What this server can do that others cannot",
      access: "anybody",
      answer: z.array(z.string()),
      handle: () => features,
    },
  }),
  resource("/2/modify", { PUT: modifyCluster }),
  resource("/2/redistribute-config", { PUT: redistribute }),
  resource("/2/os", { GET: operatingSystems }),
  tagsResource("/2", "cluster"),
];
