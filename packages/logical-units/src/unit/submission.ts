/** Jobs submitted by a unit, and their ids in its result. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { ChildJobs, World } from "./unit.js";

/**
 * Submits the jobs; the result is `more` with `jobs`: `[true, id]` or `[false, reason]` for each.
 */
export async function resultWithJobs(
  world: World,
  jobs: ChildJobs,
  more: JsonObject = {},
): Promise<Json> {
  const submitted = jobs.length === 0 ? [] : await world.submit(jobs);
  return { ...more, jobs: submitted };
}
