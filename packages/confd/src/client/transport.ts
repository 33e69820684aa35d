/** The client's way to the network, and UDP as its implementation. */
import { createSocket } from "node:dgram";
import type { ConfdPeer } from "../server/server.js";

/** Port of a client to the network: sends and receives datagrams. */
export interface ConfdTransport {
  /** Sends as soon as possible; like a datagram it may be lost, and then nothing is reported. */
  send(datagram: Uint8Array, to: ConfdPeer): void;
  /** Called for each datagram that arrives; replaces the listener before. */
  onDatagram(listener: (datagram: Uint8Array, from: ConfdPeer) => void): void;
  close(): Promise<void>;
}

/** A socket on a port of the system's choice. Errors of single sends count as lost datagrams. */
export async function udpTransport(family: "IPv4" | "IPv6" = "IPv4"): Promise<ConfdTransport> {
  const socket = createSocket(family === "IPv6" ? "udp6" : "udp4");
  let onDatagram: (datagram: Uint8Array, from: ConfdPeer) => void = () => undefined;
  socket.on("message", (datagram, from) => onDatagram(datagram, from));
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(0, () => {
      socket.off("error", reject);
      resolve();
    });
  });
  const lost = () => undefined;
  socket.on("error", lost);
  return {
    send: (datagram, to) => socket.send(datagram, to.port, to.address, lost),
    onDatagram: (listener) => {
      onDatagram = listener;
    },
    close: () => new Promise((resolve) => void socket.close(() => resolve())),
  };
}
