/** A client on a UDP socket and the machine's own clock. */
import { ConfdClient, type ConfdClientClock, type ConfdClientOptions } from "./client.js";
import { familyOf } from "./peers.js";
import { udpTransport } from "./transport.js";

/** @throws ConfdClientError `no peers`, `wrong peers`; the system's error if there is no socket */
export async function connectConfdClient(
  options: Omit<ConfdClientOptions, "transport" | "clock"> & { readonly clock?: ConfdClientClock },
): Promise<ConfdClient> {
  const transport = await udpTransport(familyOf(options.peers));
  return new ConfdClient({ clock: machineClock, ...options, transport });
}

const machineClock: ConfdClientClock = {
  wallMicros: () => Date.now() * 1000,
  after(delayMs, then) {
    const timer = setTimeout(then, delayMs);
    return () => clearTimeout(timer);
  },
};
