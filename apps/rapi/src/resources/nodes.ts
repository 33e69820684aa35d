/** Resources below `/2/nodes`. */
import { RapiNode } from "@ganeti-ts/protocol";
import * as z from "zod";
import { listMethod, showMethod } from "./collection.js";
import { submits } from "./job-method.js";
import * as change from "./node-changes.js";
import { queryOne } from "./queries.js";
import { type Resource, resource } from "./resource.js";
import { tagsResource } from "./tags.js";

const nodes = { kind: "node", idKey: "id", schema: RapiNode } as const;

/** Roles by their letter. */
const roleNames: Readonly<Record<string, string>> = {
  M: "master",
  C: "master-candidate",
  D: "drained",
  O: "offline",
  R: "regular",
};

const at = (rest: string) => `/2/nodes/{node}${rest}`;

export const nodeResources: readonly Resource[] = [
  resource("/2/nodes", { GET: listMethod(nodes) }),
  resource(at(""), { GET: showMethod(nodes) }),
  resource(at("/powercycle"), {
    POST: submits("OP_NODE_POWERCYCLE", "Switches a node off and on", { flags: ["force"] }),
  }),
  resource(at("/role"), {
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
  }),
  resource(at("/modify"), { POST: submits("OP_NODE_SET_PARAMS", "Changes a node's parameters") }),
  resource(at("/evacuate"), {
    POST: submits(
      "OP_NODE_EVACUATE",
      "Moves instances away from a node; the job's result lists the jobs that do it",
      { flags: ["dry-run"] },
    ),
  }),
  resource(at("/migrate"), { POST: change.migrate }),
  resource(at("/storage"), { GET: change.queryStorage }),
  resource(at("/storage/modify"), { PUT: change.modifyStorage }),
  resource(at("/storage/repair"), { PUT: change.repairStorage }),
  tagsResource(at(""), "node"),
];
