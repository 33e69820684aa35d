/** Tags: the same resource for all objects that have tags. */
import { JobId, Tag } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";

/** Tag resources accept only a reason. */
export interface TagChange {
  readonly reason?: string;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** Calls on the tags of one thing. */
export interface Tags {
  list(options?: { readonly signal?: AbortSignal }): Promise<readonly Tag[]>;
  /** Returns the id of the job that adds them. */
  add(tags: readonly Tag[], change?: TagChange): Promise<JobId>;
  remove(tags: readonly Tag[], change?: TagChange): Promise<JobId>;
}

/** `owner` is the path of the object with the tags: `/2` for the cluster. */
export const tagsOf = (caller: Caller, owner: string): Tags => {
  const path = `${owner}/tags`;
  const change =
    (method: "PUT" | "DELETE") =>
    (tags: readonly Tag[], { reason, dryRun, signal }: TagChange = {}) =>
      caller.call(method, path, JobId, {
        query: { tag: tags, reason, "dry-run": dryRun ? 1 : undefined },
        signal,
      });
  return {
    list: (options = {}) => caller.call("GET", path, z.array(Tag), options),
    add: change("PUT"),
    remove: change("DELETE"),
  };
};
