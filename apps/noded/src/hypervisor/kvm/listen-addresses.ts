/** Addresses of VNC and SPICE; the parameters contain an address or the name of an interface. */

import { isIP, isIPv4, isIPv6 } from "node:net";
import { isAbsolute } from "node:path";
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { readAddresses } from "../../host/addresses.js";
import { succeeded } from "../../machine/runner.js";
import type { HvParams } from "../hypervisor.js";
import { text } from "./parameters.js";

type Ports = Pick<NodeContext, "run" | "ssconf">;

async function addressesOf({ run }: Ports, device: string): Promise<readonly string[]> {
  const args = ["-o", "addr", "show", "dev", device];
  const ended = await run.run({ program: "ip", args, timeoutMs: 30_000 });
  return succeeded(ended) ? readAddresses(ended.stdout).map(({ address }) => address) : [];
}

/** Where VNC listens: an address, or a directory for sockets; null: not bound. */
export async function vncAddress(ports: Ports, hvparams: HvParams): Promise<string | null> {
  const bound = text(hvparams, "vnc_bind_address");
  if (bound === "") return null;
  if (isIP(bound) !== 0 || isAbsolute(bound)) return bound;
  const address = (await addressesOf(ports, bound)).find((one) => isIPv4(one));
  if (address !== undefined) return address;
  throw new NodeFailure(
    "VNC: The vnc_bind_address parameter must be either a valid IP address, an interface name, or an absolute path",
  );
}

export interface SpiceAddress {
  readonly address: string;
  /** Family of an address that was looked up from an interface; null for an address from the parameters. */
  readonly ipVersion: 4 | 6 | null;
}

/** Null if SPICE is not bound. Of an interface with both families, the address of the cluster's family is used. */
export async function spiceAddress(ports: Ports, hvparams: HvParams): Promise<SpiceAddress | null> {
  const bound = text(hvparams, "spice_bind");
  if (bound === "") return null;
  if (isIP(bound) !== 0) return { address: bound, ipVersion: null };
  const addresses = await addressesOf(ports, bound);
  const four = addresses.find((one) => isIPv4(one));
  const six = addresses.find((one) => isIPv6(one));
  const version = text(hvparams, "spice_ip_version");
  const isSix =
    version === "6" ||
    (version !== "4" && six !== undefined && (four === undefined || (await isIpv6Cluster(ports))));
  const address = isSix ? six : four;
  if (address !== undefined) return { address, ipVersion: isSix ? 6 : 4 };
  const kind = version === "4" || version === "6" ? `IPv${version}` : "IP";
  throw new NodeFailure(`SPICE: Unable to get an ${kind} address for ${bound}`);
}

/** The ssconf value is Linux's number of the address family, `10` for IPv6. */
const isIpv6Cluster = async ({ ssconf }: Ports): Promise<boolean> =>
  (await ssconf("primary_ip_family").catch(() => []))[0] === "10";
