/** Collections: the common methods of nodes, groups, networks and instances for listing and showing. */
import type { ObjectKind } from "@ganeti-ts/cluster";
import { writeJson } from "@ganeti-ts/protocol";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import { bulkText, Listing } from "./listing.js";
import { type Method, Rendered, Written } from "./resource.js";

export interface Collection {
  readonly kind: ObjectKind;
  /** The key of a name in lists. */
  readonly idKey: "id" | "name";
  readonly schema: z.ZodType;
}

/** Cache of rendered lists of names, which change rarely. */
const namesTexts = new WeakMap<readonly string[], Written>();

/** GET of the whole collection. */
export function listMethod({ kind, idKey, schema }: Collection): Method {
  const plural = `${kind}s`;
  return {
    summary: `All ${plural}`,
    access: "anybody",
    query: {
      bulk: bulkText,
      ...(kind === "instance"
        ? { unplaced: "1 also gives, with bulk, reservations that have no node" }
        : {}),
    },
    answer: z.union([Listing(idKey, z.string()), z.array(schema)]),
    handle: async ({ query }, { objects, texts }) => {
      if (!query.flag("bulk")) {
        const names = objects.names(kind);
        const known = namesTexts.get(names);
        if (known !== undefined) return known;
        const list = names.map((name) => ({
          [idKey]: name,
          ...(kind === "instance" ? { name } : {}),
          uri: `/2/${plural}/${name}`,
        }));
        const text = new Written([Buffer.from(`${writeJson(list)}\n`)]);
        namesTexts.set(names, text);
        return text;
      }
      const unplaced = kind === "instance" && query.flag("unplaced");
      return new Written(await texts.listParts(kind, { unplaced }));
    },
  };
}

/** GET of one object. */
export function showMethod({ kind, schema }: Collection): Method {
  return {
    summary: `One ${kind}, by its name or UUID`,
    access: "anybody",
    answer: schema,
    handle: async ({ names }, { texts }) => {
      const text = await texts.objectText(kind, names[kind] as string);
      if (text === undefined) throw new HttpFault(404);
      return new Rendered(`${text}\n`);
    },
  };
}
