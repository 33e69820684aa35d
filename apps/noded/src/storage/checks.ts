/** Checks about storage. */
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
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
      try {
        await checkStorageDirectory(paths, directory);
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        faults[template] = error.message;
      }
    }
    return { fileStorageFaults: faults };
  },
  acceptedPathsOf: async (name) =>
    name === nodeName ? { forbiddenStoragePaths: await badAllowedPaths(paths) } : {},
});
