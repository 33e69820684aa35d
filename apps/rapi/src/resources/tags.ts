/** Tags: the same three methods for all kinds of objects. */
import { type Json, Tag } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { World } from "../world.js";
import { submits } from "./job-method.js";
import type { Call, Resource } from "./resource.js";

export interface Tagged {
  readonly path: string;
  readonly source: string;
  /** Kind of the tagged object in the opcode. */
  readonly kind: "cluster" | "node" | "nodegroup" | "network" | "instance";
  /** The part of the path with the object's name; absent for the cluster. */
  readonly part?: string;
  /** @throws HttpFault 404 */
  readonly read: (call: Call, world: World) => readonly string[];
}

export function tagsResource({ path, source, kind, part, read }: Tagged): Resource {
  const change = (opcode: "OP_TAGS_SET" | "OP_TAGS_DEL", summary: string) =>
    submits({
      summary,
      source,
      opcode,
      body: "ignored",
      flags: { dry_run: "dry-run" },
      fixed: {
        names: ["kind", "name", "tags"],
        of: (call) => ({
          kind,
          name: part === undefined ? null : (call.names[part] as string),
          tags: tagsOf(call, opcode === "OP_TAGS_SET"),
        }),
        query: { tag: "A tag; may be repeated" },
      },
    });
  return {
    path,
    methods: {
      GET: {
        summary: "Its tags",
        access: "anybody",
        answer: z.array(Tag),
        handle: (call, world) => [...read(call, world)],
      },
      PUT: change("OP_TAGS_SET", "Adds tags"),
      DELETE: change("OP_TAGS_DEL", "Removes tags"),
    },
  };
}

/** Tags of the query; if there are none, a list in the body, as in the documentation. */
function tagsOf({ query, body }: Call, alsoBody: boolean): Json {
  if (!query.has("tag") && alsoBody && Array.isArray(body)) return body as Json;
  return [...query.list("tag")];
}
