/** `/ganeti-ts/1/query`: paged queries, for clients that show a part of a list at a time. */
import type { NamedKind } from "@ganeti-ts/cluster-queries";
import { FilterExpression } from "@ganeti-ts/protocol";
import { FilterError } from "@ganeti-ts/query";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import { turns } from "../slices.js";
import type { World } from "../world.js";
import { checkedBody } from "./checked-body.js";
import { faultOfFilter, refuseManyFields, Table, tableParts } from "./queries.js";
import { type Call, type Resource, resource, Written } from "./resource.js";

const kinds: readonly NamedKind[] = ["group", "instance", "network", "node"];

const rowsMax = 1000;

const Question = z.object({
  fields: z.array(z.string()),
  qfilter: FilterExpression.nullish(),
  limit: z.int().min(1).max(rowsMax).default(100).describe("Most rows of the page"),
  after: z.string().nullish().describe("`next` of the page before"),
});

const Page = Table.extend({
  next: z.string().nullable().describe("`after` for the next page; null after the last object"),
});

export const pageResources: readonly Resource[] = [
  resource("/ganeti-ts/1/query/{resource}", {
    PUT: {
      summary: "The named fields of groups, instances, networks or nodes, a page of rows at a time",
      access: "read",
      body: Question,
      longBody: true,
      answer: Page,
      handle: pageOf,
    },
  }),
];

async function pageOf(call: Call, { objects }: World): Promise<Written> {
  const kind = kinds.find((one) => one === call.names.resource);
  if (kind === undefined) throw new HttpFault(404, `There are pages of ${kinds.join(", ")} only`);
  const { fields, qfilter, limit, after } = checkedBody(Question, call.body);
  refuseManyFields(fields);
  try {
    const { next, ...table } = await objects.queryPage(kind, fields, qfilter ?? null, {
      ...{ limit, after: after ?? undefined, pause: turns() },
    });
    return new Written(await tableParts(table, `,"next":${JSON.stringify(next)}`));
  } catch (error) {
    throw error instanceof FilterError ? faultOfFilter(error) : error;
  }
}
