/** A client on a UDP socket and the machine's own clock. */
import { systemClock } from "@ganeti-ts/protocol";
import { ConfdClient, type ConfdClientOptions } from "./client.js";
import { familyOf } from "./peers.js";
import { udpTransport } from "./transport.js";

/** @throws ConfdClientError `no peers`, `wrong peers`; the system's error if there is no socket */
export async function connectConfdClient(
  options: Omit<ConfdClientOptions, "transport" | "clock">,
): Promise<ConfdClient> {
  const transport = await udpTransport(familyOf(options.peers));
  return new ConfdClient({ ...options, clock: systemClock, transport });
}
