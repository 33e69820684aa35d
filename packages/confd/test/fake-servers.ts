/** Servers without a network: each answers at once, later or never, as a test says. */
import type { Snapshot } from "@ganeti-ts/config";
import type { Clock } from "@ganeti-ts/protocol";
import { type ConfdTransport, respondTo } from "../src/index.js";

export const key = Buffer.from("5d41402abc4b2a76b9719d911017c592ae9b1f2c\n");

export interface FakeServer {
  readonly snapshot: Snapshot;
  /** Time until its answer arrives; undefined: it never does. */
  readonly delayMs?: number;
}

export interface FakeNetwork extends ConfdTransport {
  /** Addresses that a datagram was sent to, in order. */
  readonly asked: string[];
  /** Lets a datagram arrive. */
  arrive(datagram: Uint8Array, address: string): void;
}

export function fakeNetwork(
  clock: Clock,
  servers: Readonly<Record<string, FakeServer>> = {},
): FakeNetwork {
  let listener: Parameters<ConfdTransport["onDatagram"]>[0] = () => undefined;
  const asked: string[] = [];
  const arrive = (datagram: Uint8Array, address: string) =>
    listener(datagram, { address, port: 1814 });
  return {
    asked,
    arrive,
    send(datagram, { address }) {
      asked.push(address);
      const server = servers[address];
      if (server?.delayMs === undefined) return;
      const { snapshot } = server;
      const response = respondTo(datagram, { snapshot: () => snapshot, key, clock });
      if (response.kind === "answer") {
        clock.after(server.delayMs, () => arrive(response.datagram, address));
      }
    },
    onDatagram(then) {
      listener = then;
    },
    close: () => Promise.resolve(),
  };
}
