/** Gateway: a port on loopback behind which a node daemon of a bench answers, and which can interfere with one call. */
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { ReferenceBench, ReferenceNode } from "@ganeti-ts/reference";

/** Functions called at stages of a connection, each at most once. */
export interface Interference {
  /** The client has begun the handshake. */
  greeted?(): void;
  /** The request has been passed on to the daemon. */
  requested?(): void;
  /** The answer has come, and is kept from the client. Without this function it is passed on. */
  answered?(client: Socket): void;
}

export interface Gateway {
  readonly port: number;
  close(): void;
}

export async function openGateway(
  bench: ReferenceBench,
  { address, nodedPort }: ReferenceNode,
  interference: Interference = {},
): Promise<Gateway> {
  const server = createServer((client) => {
    client.on("error", () => {});
    bench.connect(address, nodedPort).then(
      (daemon) => join(client, daemon, interference),
      () => client.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

function join(
  client: Socket,
  daemon: Socket,
  { greeted, requested, answered }: Interference,
): void {
  const [fromClient, fromDaemon] = [new TlsRecords(), new TlsRecords()];
  let isRequested = false;
  let isAnswered = false;
  client.once("data", () => greeted?.());
  client.on("data", (part: Buffer) => {
    daemon.write(part, () => {
      if (isRequested || !fromClient.showDataIn(part)) return;
      isRequested = true;
      requested?.();
    });
  });
  daemon.on("data", (part: Buffer) => {
    if (!isAnswered && fromDaemon.showDataIn(part)) {
      isAnswered = true;
      answered?.(client);
    }
    if (!isAnswered || answered === undefined) client.write(part);
  });
  daemon.on("error", () => client.destroy());
  daemon.on("close", () => {
    if (!isAnswered || answered === undefined) client.end();
  });
  client.on("close", () => daemon.destroy());
  daemon.resume();
}

const applicationData = 23;
const headerBytes = 5;

/** The records of TLS 1.2 in one direction: a handshake, then application data. */
class TlsRecords {
  #header: number[] = [];
  #left = 0;

  /** Whether application data begins in this part of the stream, or has begun before. */
  showDataIn(part: Buffer): boolean {
    for (let at = 0; at < part.length; ) {
      const skipped = Math.min(this.#left, part.length - at);
      this.#left -= skipped;
      at += skipped;
      if (at === part.length) break;
      this.#header.push(part[at++] as number);
      if (this.#header.length < headerBytes) continue;
      const [type, , , high = 0, low = 0] = this.#header;
      if (type === applicationData) return true;
      this.#left = high * 256 + low;
      this.#header = [];
    }
    return false;
  }
}
