/** Mirror: a drbd disk from the perspective of this node. */
import { isIP } from "node:net";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { NodeFailure } from "../../failure.js";

export interface Mirror {
  readonly minor: number;
  /** Name in messages: `drbd0`. */
  readonly title: string;
  readonly resource: string;
  readonly path: string;
  readonly sizeMib: number;
  readonly params: Readonly<Record<string, unknown>>;
  /** In the form of drbdsetup; null if the mirror must not be connected. */
  readonly addresses: { readonly local: string; readonly remote: string } | null;
  readonly secret: string | null;
}

/** Local storage of a mirror. */
export interface Storage {
  readonly data: string;
  readonly meta: string;
}

export const majorNumber = 147;
export const minorMax = 255;

/** Reads the logical id `[NODE, NODE, PORT, MINOR, MINOR, SECRET]`; `ends` determines which values belong to this node. */
export function mirrorOf(disk: DiskOnNode): Mirror {
  const { ends, logical_id, size, params } = disk;
  if (ends === null || ends === undefined || logical_id.length !== 6) {
    throw new Error(`Invalid configuration data ${JSON.stringify(logical_id.slice(0, 5))}`);
  }
  const minor = ends.localMinor;
  const title = `drbd${minor}`;
  if (!Number.isInteger(minor) || minor < 0 || minor > minorMax) {
    throw new NodeFailure(`${title}: the minor must be from 0 to ${minorMax}`);
  }
  const [port, secret] = [logical_id[2], logical_id[5]];
  return {
    minor,
    title,
    resource: `resource${minor}`,
    path: `/dev/drbd${minor}`,
    sizeMib: size,
    params: params ?? {},
    addresses: addressesOf(title, ends.localIp, ends.remoteIp, port),
    secret: typeof secret === "string" ? secret : null,
  };
}

function addressesOf(
  title: string,
  local: string,
  remote: string,
  port: unknown,
): Mirror["addresses"] {
  if (port === null || port === undefined || !local || !remote) return null;
  if (typeof port !== "number" || !Number.isInteger(port)) {
    throw new NodeFailure(`${title}: Invalid port ${port}`);
  }
  const [from, to] = [familyOf(title, local), familyOf(title, remote)];
  if (from !== to) throw new NodeFailure(`${title}: can't connect ip ${local} to ip ${remote}`);
  const address = (ip: string): string => `${from}:${from === "ipv6" ? `[${ip}]` : ip}:${port}`;
  return { local: address(local), remote: address(remote) };
}

function familyOf(title: string, ip: string): "ipv4" | "ipv6" {
  const family = isIP(ip);
  if (family === 0) throw new NodeFailure(`${title}: Invalid ip ${ip}`);
  return family === 4 ? "ipv4" : "ipv6";
}
