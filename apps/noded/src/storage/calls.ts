/** Calls about storage. */
import type { NodeContext } from "../context.js";
import { faultOf } from "../failure.js";
import type { Checks } from "../host/verification.js";
import { badAllowedPaths, checkStorageDirectory } from "./allowed-paths.js";
import { changeCalls } from "./change-calls.js";
import { contentCalls } from "./content-calls.js";
import { directoryCalls } from "./directory-calls.js";
import { diskCache } from "./disk-cache.js";
import { diskLinks } from "./disk-links.js";
import { diskTypes } from "./disk-types.js";
import { childrenCalls } from "./drbd/children-calls.js";
import { drbdChecks, helperCalls } from "./drbd/drbd-checks.js";
import { netCalls } from "./drbd/net-calls.js";
import { lifeCalls } from "./life-calls.js";
import { lookCalls } from "./look-calls.js";
import { volumeCalls, volumeChecks } from "./lvm/volume-calls.js";
import { requestVolumes } from "./lvm/volume-table.js";
import { unitCalls } from "./units/storage-calls.js";

export const storageCalls = (context: NodeContext) => ({
  ...eachRequest(() => diskCalls(context)),
  ...directoryCalls(context),
  ...volumeCalls(context),
  ...helperCalls(context),
  ...unitCalls(context),
});

/** Calls about disks; the table of logical volumes is read once per request. */
function diskCalls(context: NodeContext) {
  const types = diskTypes(context, requestVolumes(context));
  const cache = diskCache(context);
  return {
    ...lifeCalls(context, types, { links: diskLinks(context), cache }),
    ...changeCalls(types, cache),
    ...contentCalls(context, types),
    ...lookCalls(types),
    ...childrenCalls(context, types),
    ...netCalls(context),
  };
}

type AnyHandler = (...args: never[]) => Promise<unknown>;

/** Calls `make` for each request, so that requests do not share cached lookups. */
function eachRequest<Calls extends object>(make: () => Calls): Calls {
  const handlers = Object.keys(make()).map((name) => {
    const handler = (...args: never[]) => (make()[name as keyof Calls] as AnyHandler)(...args);
    return [name, handler];
  });
  return Object.fromEntries(handlers) as Calls;
}

export const storageChecks = (context: NodeContext): Checks => ({
  ...fileChecks(context),
  ...volumeChecks(context),
  ...drbdChecks(context),
});

const fileChecks = ({ paths, nodeName }: NodeContext): Checks => ({
  async fileStorageDirs(directories) {
    const faults: Record<string, string> = {};
    for (const [template, directory] of Object.entries(directories)) {
      const fault = await faultOf(() => checkStorageDirectory(paths, directory));
      if (fault !== null) faults[template] = fault;
    }
    return { fileStorageFaults: faults };
  },
  acceptedPathsOf: async (name) =>
    name === nodeName ? { forbiddenStoragePaths: await badAllowedPaths(paths) } : {},
});
