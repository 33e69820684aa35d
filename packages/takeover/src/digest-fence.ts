/** digestFence: nodes refuse a dead server once its certificate is removed from their list. */
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
 * Sends a node the configuration's list of certificates, from which the takeover has removed the old master's. Nodes
 * read it at each handshake, so the next call of the old master is refused; a call in progress completes (see
 * `CallsInFlight`).
 *
 * An earlier server of this machine has the same certificate as this one, so nodes cannot tell the two apart: the
 * fence fails while its process exists.
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
          // A server without a recorded place has never called a node.
          if (place === undefined) continue;
          // A process of this machine uses the machine's present certificate, even if it was replaced since.
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
