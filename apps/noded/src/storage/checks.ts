/** Checks about storage. */
import type { NodeContext } from "../context.js";
import { faultOf } from "../failure.js";
import type { Checks } from "../host/verification.js";
import { badAllowedPaths, checkStorageDirectory } from "./allowed-paths.js";
import { drbdChecks } from "./drbd/drbd-checks.js";
import { volumeChecks } from "./lvm/volume-calls.js";

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
