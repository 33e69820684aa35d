/** digestFence: nodes of Ganeti refuse a dead server because its certificate is on their list no more. */
import { type Snapshot, ssconfLines, ssconfValues } from "@ganeti-ts/config";
import { answered, type Fence, failed, type NodeBackend } from "@ganeti-ts/node-calls";
import type { PostgresServers, ServerPlace } from "@ganeti-ts/store/postgres";
import { isAlive } from "./shared-records.js";

export interface DigestFencePorts {
  readonly nodes: NodeBackend;
  readonly now: () => Snapshot;
  readonly servers: Pick<PostgresServers, "placeOf">;
  /** UUID of the node of this server, and digest of its certificate. */
  readonly own: Pick<ServerPlace, "uuid" | "digest">;
}

/**
 * Sends a node the list of certificates as the configuration has it: the take-over has removed the old master's. It is
 * read at each handshake, so the next call of the old master is refused; one that runs already completes (see
 * `CallsInFlight`).
 *
 * An earlier server of this machine has the certificate of this one, and cannot be told from it: nothing is done
 * while its process exists.
 */
export function digestFence({ nodes, now, servers, own }: DigestFencePorts): Fence {
  const places = new Map<string, ServerPlace | undefined>();
  const placeOf = async (lease: string) => {
    if (!places.has(lease)) places.set(lease, await servers.placeOf(lease));
    return places.get(lease);
  };
  return {
    async fence(node, leases, signal) {
      let isElsewhere = false;
      try {
        for (const lease of leases) {
          const place = await placeOf(lease);
          // Without a place it has never called a node.
          if (place === undefined) continue;
          // Its certificate may have been replaced since: then it uses the one of this server.
          if (place.uuid !== own.uuid && place.digest !== own.digest) isElsewhere = true;
          else if (await isAlive(place)) return failed(stillHere(place));
        }
      } catch (error) {
        return failed(`The servers before this one are unknown: ${(error as Error).message}`);
      }
      if (!isElsewhere) return answered(null);
      const { master_candidates_certs = "" } = ssconfValues(now());
      const values = { master_candidates_certs: ssconfLines(master_candidates_certs) };
      return nodes.call(node, "write_ssconf_files", { values }, { lease: "", signal });
    },
  };
}

const stillHere = ({ process: identity }: ServerPlace): string =>
  `process ${identity.split(" ")[1]} on this machine has lost its lease but still exists: end it first`;
