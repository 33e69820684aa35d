/** Connection of a request. */
import type { IncomingMessage } from "node:http";
import { isIPv6, type Socket } from "node:net";

export interface Connection {
  readonly isClosed: boolean;
  /** Calls `listener` once when the connection closes; returns a function that removes it. */
  onClose(listener: () => void): () => void;
}

/** Listeners by socket: one connection serves many requests, and each socket gets a single listener of Node's. */
const listenersBySocket = new WeakMap<Socket, Set<() => void>>();

/** @param incoming absent in tests, where the end of a request is the signal of `request` */
export function connectionOf(incoming: IncomingMessage | undefined, request: Request): Connection {
  if (incoming === undefined) return connectionOfSignal(request.signal);
  const { socket } = incoming;
  return {
    get isClosed() {
      return socket.destroyed;
    },
    onClose(listener) {
      const listeners = listenersOf(socket);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function listenersOf(socket: Socket): Set<() => void> {
  const known = listenersBySocket.get(socket);
  if (known !== undefined) return known;
  const listeners = new Set<() => void>();
  listenersBySocket.set(socket, listeners);
  socket.once("close", () => {
    for (const listener of [...listeners]) listener();
  });
  return listeners;
}

const connectionOfSignal = (signal: AbortSignal): Connection => ({
  get isClosed() {
    return signal.aborted;
  },
  onClose(listener) {
    signal.addEventListener("abort", listener, { once: true });
    return () => signal.removeEventListener("abort", listener);
  },
});

/** Client for limits: the remote address, or the /64 network of an IPv6 address, which belongs to one site. */
export function clientAddress(address: string | undefined): string {
  if (address === undefined) return "unknown";
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = (address.split("%")[0] as string).split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const words = [...before, ...Array<string>(zeros).fill("0"), ...after];
  return `${words
    .slice(0, 4)
    .map((word) => Number.parseInt(word, 16).toString(16))
    .join(":")}::/64`;
}
