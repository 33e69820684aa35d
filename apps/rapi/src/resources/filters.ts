/** Resources below `/2/filters`: rules that hold, refuse or throttle jobs. Changes take effect at once. */
import { QueueError } from "@ganeti-ts/job-queue";
import { FilterRule, FilterRuleBody, FilterUuid, type Json, spacedJson } from "@ganeti-ts/protocol";
import { FilterError } from "@ganeti-ts/query";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import type { World } from "../world.js";
import { bulkText, Listing } from "./listing.js";
import { faultOfQueue } from "./queue-fault.js";
import { type Call, type Resource, resource } from "./resource.js";

export const filterResources: readonly Resource[] = [
  resource("/2/filters", {
    GET: {
      summary: "All filter rules",
      access: "anybody",
      query: { bulk: bulkText },
      answer: z.union([Listing("uuid", FilterUuid), z.array(FilterRule)]),
      handle: ({ query }, { queue }) => {
        if (query.flag("bulk")) return queue.rules.map(shown);
        return queue.rules
          .map(({ uuid }) => uuid)
          .toSorted()
          .map((uuid) => ({ uuid, id: uuid, uri: `/2/filters/${uuid}` }));
      },
    },
    POST: {
      summary: "Adds a filter rule, and gives its UUID",
      access: "write",
      body: FilterRuleBody,
      answer: FilterUuid,
      handle: ({ body }, { queue }) => stored(null, body, (rule) => queue.addRule(rule)),
    },
  }),
  resource("/2/filters/{filter}", {
    GET: {
      summary: "A filter rule",
      access: "anybody",
      answer: FilterRule,
      handle: (call, { queue }) => {
        const rule = queue.rules.find(({ uuid }) => uuid === call.names.filter);
        if (rule === undefined) throw new HttpFault(404);
        return shown(rule);
      },
    },
    PUT: {
      summary: "Makes the filter rule with this UUID, or replaces all of it",
      access: "write",
      body: FilterRuleBody,
      answer: FilterUuid,
      handle: ({ names, body }, { queue }) => {
        const uuid = names.filter as string;
        return stored(uuid, body, (rule) => queue.replaceRule(uuid, rule));
      },
    },
    DELETE: {
      summary: "Removes a filter rule",
      access: "write",
      answer: z.null(),
      handle: remove,
    },
  }),
];

async function remove({ names }: Call, { queue }: World): Promise<Json> {
  try {
    await queue.deleteRule(names.filter as string);
    return null;
  } catch (error) {
    if (error instanceof FilterError) throw new HttpFault(400, error.message);
    throw error instanceof QueueError ? faultOfQueue(error) : error;
  }
}

const shown = ({ uuid, watermark, priority, predicates, action, reason_trail }: FilterRule): Json =>
  ({ watermark, priority, predicates, action, reason_trail, uuid }) as Json;

/**
 * Faults that Ganeti's API finds itself; the store of rules reports those of predicates and
 * actions.
 */
const ownFault = /^(?:Invalid body|'\w+' parameter: Type|Unable to parse UUID)/;

async function stored(
  uuid: string | null,
  body: Json | undefined,
  store: (rule: Json) => Promise<string>,
): Promise<Json> {
  try {
    return await store(body ?? null);
  } catch (error) {
    if (!(error instanceof FilterError)) throw faultOfQueue(error);
    if (ownFault.test(error.message)) throw new HttpFault(400, error.message);
    const { priority = 0, predicates = [], action = "CONTINUE", reason = [] } = Object(body);
    const request = spacedJson([uuid, priority, predicates, action, reason]);
    const problem =
      priority < 0 ? `Invalid value for non-negative type '${priority}'` : error.message;
    throw new HttpFault(
      400,
      `Failed to parse request: Cannot convert value '${request}', error: ${problem}`,
    );
  }
}
