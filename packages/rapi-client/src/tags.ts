/** Tags: the same resource for all objects that have tags. */
import { JobId, Tag } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import type { Reading } from "./reading.js";

/** Tag resources accept only a reason. */
export interface TagChange {
  readonly reason?: string;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** `owner` is the path of the object with the tags: `/2` for the cluster. */
export const tagsOf = (caller: Caller, owner: string) => {
  const path = `${owner}/tags`;
  const change =
    (method: "PUT" | "DELETE") =>
    (tags: readonly Tag[], { reason, dryRun, signal }: TagChange = {}): Promise<JobId> =>
      caller.call(method, path, JobId, {
        query: { tag: tags, reason, "dry-run": dryRun ? 1 : undefined },
        signal,
      });
  return {
    list: (options?: Reading): Promise<readonly Tag[]> =>
      caller.call("GET", path, z.array(Tag), options),
    /** Returns the id of the job that adds them. */
    add: change("PUT"),
    remove: change("DELETE"),
  };
};

/** Calls on the tags of one thing. */
export interface Tags extends ReturnType<typeof tagsOf> {}
