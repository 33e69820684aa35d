/**
 * quickAnswer: answers a usual request with few modules, for an executable that starts in less time than the whole
 * program takes to be loaded.
 */
import { answerRequest, clusterWarnings, loadCluster } from "@ganeti-ts/htools";
import { decodeMessage, encodeAnswer } from "@ganeti-ts/protocol";
import { hailDefaults } from "./settings.js";

/**
 * The output of hail for a message without options. It is undefined if the whole program has to answer: if the message
 * has a fault or contradicts itself, or if the bundle lacks the modules for such a request or for so large a cluster.
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
