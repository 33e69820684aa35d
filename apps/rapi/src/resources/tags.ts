/** Tags: the same three methods for all kinds of objects. */
import { type Json, Tag } from "@ganeti-ts/protocol";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import type { World } from "../world.js";
import { submits } from "./job-method.js";
import { type Call, type Resource, resource } from "./resource.js";

/** Kinds of tagged objects, by their names in opcodes. */
type Kind = "cluster" | "node" | "nodegroup" | "network" | "instance";

/** Tags of the object whose resource has this path. */
export function tagsResource(path: string, kind: Kind): Resource {
  const part = kind === "nodegroup" ? "group" : kind;
  const nameIn = ({ names }: Call) => names[part] ?? null;
  const change = (opcode: "OP_TAGS_SET" | "OP_TAGS_DEL", summary: string) =>
    submits(opcode, summary, {
      body: "ignored",
      flags: ["dry-run"],
      query: { tag: "A tag; may be repeated" },
      fixed: {
        names: ["kind", "name", "tags"],
        of: (call) => ({
          ...{ kind, name: nameIn(call) },
          tags: tagsOf(call, opcode === "OP_TAGS_SET"),
        }),
      },
    });
  const read = (call: Call, { objects }: World): readonly string[] => {
    const tags = objects.tags(part, nameIn(call) ?? "");
    if (tags === undefined) throw new HttpFault(404);
    return tags;
  };
  return resource(`${path}/tags`, {
    GET: {
      summary: "Its tags",
      access: "anybody",
      answer: z.array(Tag),
      handle: (call, world) => [...read(call, world)],
    },
    PUT: change("OP_TAGS_SET", "Adds tags"),
    DELETE: change("OP_TAGS_DEL", "Removes tags"),
  });
}

/** Tags of the query; if there are none, a list in the body, as in the documentation. */
function tagsOf({ query, body }: Call, alsoBody: boolean): Json {
  if (!query.has("tag") && alsoBody && Array.isArray(body)) return body as Json;
  return [...query.list("tag")];
}
