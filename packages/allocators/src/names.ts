/** Selection of the allocators to call, in order. */

import { PrereqError } from "@ganeti-ts/job-queue";
import type { ClusterObject } from "@ganeti-ts/protocol";
import type { RequestType } from "./requests.js";

/** Names the default explicitly. */
const defaultAllocator = ".";

/** The allocator that runs without a program. */
export const builtInName = "hail";

/** Requests that only our allocators support: Ganeti's hail refuses them. */
const ownRequests: ReadonlySet<RequestType> = new Set(["balance", "capacity"]);

/** Whether the built-in allocator is called, even if a program has its name. */
export const isAlwaysBuiltIn = (name: string, type: RequestType): boolean =>
  name === builtInName && ownRequests.has(type);

/**
 * Allocators for a request: the list set for it, otherwise the single default. Requests unknown to Ganeti's
 * allocators go to the built-in one, unless their own list names others.
 */
export function defaultAllocators(
  { default_iallocators, default_iallocator }: ClusterObject,
  type: RequestType,
): readonly string[] {
  // Ganeti has no lists, and no default for this request.
  const key = type === "allocate-secondary" ? "allocate" : type;
  const list = default_iallocators?.[key];
  if (list !== undefined) return list;
  if (ownRequests.has(type)) return [builtInName];
  return default_iallocator === "" ? [] : default_iallocator.split(",").map((name) => name.trim());
}

/** The named allocator, or the defaults. @throws PrereqError `wrong_input` if there is none */
export function allocatorNames(
  cluster: ClusterObject,
  type: RequestType,
  named: string | undefined,
): readonly string[] {
  if (named !== undefined && named !== defaultAllocator) return [named];
  const names = defaultAllocators(cluster, type);
  if (names.length > 0) return names;
  throw new PrereqError(
    "wrong_input",
    "No iallocator or node given and no cluster-wide default iallocator found; please specify either an iallocator or a node, or set a cluster-wide default iallocator",
  );
}
