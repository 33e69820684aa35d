/** Addresses of instances by the link of their NICs, for queries of external services. */
import type { InstanceObject } from "@ganeti-ts/protocol";
import type { Snapshot } from "./snapshot.js";

/**
 * Addresses of all NICs on `link`, ascending by code units, each once. A NIC without its own link is on the
 * cluster's default link, whatever its network and mode: Ganeti's confd answers from this map. O(found * log
 * n).
 */
export function addressesOnLink(now: Snapshot, link: string): readonly string[] {
  const found = new Set<string>();
  for (const own of ownLinks(now, link)) {
    for (const rest of now.keysOf("link", own)) {
      const [ip = ""] = rest.split("\0");
      found.add(ip);
    }
  }
  return [...found].sort();
}

/**
 * The instance with that address on `link`; if there are several, the one with the highest UUID. O(found *
 * log n).
 */
export function instanceOnLink(
  now: Snapshot,
  link: string,
  ip: string,
): InstanceObject | undefined {
  const uuids = ownLinks(now, link)
    .flatMap((own) => now.keysOf("link", own, ip))
    .map((rest) => rest.slice(0, rest.indexOf("\0")))
    .sort();
  const last = uuids.at(-1);
  return last === undefined ? undefined : now.get("instance", last);
}

/** The keys under which NICs on `link` are indexed; the empty one is the cluster's default. */
const ownLinks = ({ cluster }: Snapshot, link: string): readonly string[] => [
  ...(link === "" ? [] : [link]),
  ...(link === cluster.nicparams.default.link ? [""] : []),
];
