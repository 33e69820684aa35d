/** Resources below `/2/nodes`. */
import { RapiNode } from "@ganeti-ts/protocol";
import * as z from "zod";
import { listMethod, readTags, showMethod } from "./collection.js";
import * as change from "./node-changes.js";
import { queryOne } from "./queries.js";
import type { Resource } from "./resource.js";
import { tagsResource } from "./tags.js";

const nodes = { kind: "node", plural: "nodes", idKey: "id", schema: RapiNode } as const;

/** Roles by their letter. */
const roleNames: Readonly<Record<string, string>> = {
  M: "master",
  C: "master-candidate",
  D: "drained",
  O: "offline",
  R: "regular",
};

export const nodeResources: readonly Resource[] = [
  { path: "/2/nodes", methods: { GET: listMethod(nodes) } },
  { path: "/2/nodes/{node}", methods: { GET: showMethod(nodes, "node") } },
  { path: "/2/nodes/{node}/powercycle", methods: { POST: change.powercycle } },
  {
    path: "/2/nodes/{node}/role",
    methods: {
      GET: {
        summary: "The role of a node in one word",
        access: "anybody",
        answer: z.enum(["master", "master-candidate", "drained", "offline", "regular"]),
        handle: async ({ names }, world) => {
          const { role } = await queryOne(world, "node", names.node as string, ["role"]);
          return roleNames[String(role)] ?? null;
        },
      },
      PUT: change.setRole,
    },
  },
  { path: "/2/nodes/{node}/modify", methods: { POST: change.modify } },
  { path: "/2/nodes/{node}/evacuate", methods: { POST: change.evacuate } },
  { path: "/2/nodes/{node}/migrate", methods: { POST: change.migrate } },
  { path: "/2/nodes/{node}/storage", methods: { GET: change.queryStorage } },
  { path: "/2/nodes/{node}/storage/modify", methods: { PUT: change.modifyStorage } },
  { path: "/2/nodes/{node}/storage/repair", methods: { PUT: change.repairStorage } },
  tagsResource({
    path: "/2/nodes/{node}/tags",
    source: "nodes_name_tags",
    kind: "node",
    part: "node",
    read: readTags("node", "node"),
  }),
];
