/** LUXI methods for filter rules of the job queue. */
import type { LuxiHandler } from "@ganeti-ts/luxi";
import { GanetiError } from "@ganeti-ts/luxi";
import { FilterUuid, type Json } from "@ganeti-ts/protocol";
import { anyOf, plain, refuseUnknownFields, refusing } from "./query-calls.js";
import type { LuxiWorld } from "./world.js";

export type FilterCalls = Pick<LuxiHandler, "queryFilters" | "replaceFilter" | "deleteFilter">;

export function filterCalls({ queue, objects }: LuxiWorld): FilterCalls {
  return {
    async queryFilters({ uuids, fields }) {
      refuseUnknownFields(objects.fields("filter", fields));
      const filter = uuids === null || uuids.length === 0 ? null : anyOf("uuid", uuids);
      return plain(await objects.query("filter", fields, filter));
    },

    async replaceFilter({ uuid, priority, predicates, action, reason }) {
      const body = { priority, predicates, action, reason } as unknown as Json;
      return refusing([uuid, priority, predicates, action, reason], () =>
        uuid === null ? queue.addRule(body) : queue.replaceRule(uuid, body),
      );
    },

    async deleteFilter({ uuid }) {
      if (!FilterUuid.safeParse(uuid).success) {
        throw new GanetiError("GenericError", [`Filter rule with UUID ${uuid} does not exist`]);
      }
      await queue.deleteRule(uuid);
      return null;
    },
  };
}
