/**
 * quickAnswer: answers a usual request with few modules, for an executable that starts in less time than the whole
 * program takes to be loaded.
 */
import { answerRequest, clusterWarnings, loadCluster } from "@ganeti-ts/htools";
import { decodeMessage, encodeAnswer } from "@ganeti-ts/protocol";
import { hailDefaults } from "./settings.js";

/**
 * What hail prints for a message without options. Undefined if anything is unusual: a fault or inconsistency of the
 * message, or a request or a size whose modules are left out of a bundle; the whole program has to answer then.
 */
export function quickAnswer(message: Uint8Array): string | undefined {
  try {
    const { cluster: data, request } = decodeMessage(message);
    const { staticKvmNodeMemoryMib, ...settings } = hailDefaults();
    const cluster = loadCluster(data, { staticKvmNodeMemoryMib });
    if (clusterWarnings(cluster).length > 0) return undefined;
    const options = { ...settings, newcomerUnnumbered: true };
    return encodeAnswer(answerRequest(cluster, request, options).answer);
  } catch {
    return undefined;
  }
}
