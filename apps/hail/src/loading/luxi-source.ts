/** Cluster read from a running master over its local socket. Source: Ganeti, HTools/Backend/Luxi.hs. */
import { DataError } from "@ganeti-ts/htools";
import {
  decodeLuxiCluster,
  GanetiError,
  type LuxiCall,
  luxiClusterCalls,
} from "@ganeti-ts/luxi/calls";
import { type ClusterData, MessageError } from "@ganeti-ts/protocol";
import { callLuxi, withLuxi } from "../luxi/client.js";
import type { Ports } from "../ports.js";

/**
 * Sends all four queries, even after a refusal. Throws a DataError that names the refused or unreadable
 * answer, a FileError if the connection fails.
 */
export async function readLuxi(path: string, ports: Ports): Promise<ClusterData> {
  const results = await withLuxi(path, ports, async (connection) => {
    const ask = async (call: LuxiCall) => {
      try {
        return await callLuxi(connection, call);
      } catch (error) {
        if (error instanceof GanetiError) return error;
        throw error;
      }
    };
    return {
      nodes: await ask(luxiClusterCalls.nodes),
      instances: await ask(luxiClusterCalls.instances),
      info: await ask(luxiClusterCalls.info),
      groups: await ask(luxiClusterCalls.groups),
    };
  });
  try {
    return decodeLuxiCluster(results);
  } catch (error) {
    if (!(error instanceof MessageError || error instanceof GanetiError)) throw error;
    throw new DataError(error.message, { cause: error });
  }
}
