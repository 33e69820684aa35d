/** Disk transfers to and from another cluster, authenticated by a certificate for each side. */
import { instanceOnNode, isIpv6 } from "@ganeti-ts/config";
import type { TransferEnd } from "@ganeti-ts/node-calls";
import type { Json, RealInstance } from "@ganeti-ts/protocol";
import { ask } from "../../unit/effects.js";
import type { UnitContext } from "../../unit/unit.js";
import { TransferLoop, type TransferOutcome } from "./loop.js";

/** The key of this side, and the certificates it accepts. */
export interface Trust {
  readonly keyName: string;
  readonly caPem: string;
}

/** Address at which a disk is expected. */
export interface Destination {
  readonly host: string;
  readonly port: number;
  readonly magic: string;
}

interface Sending extends Trust {
  readonly compress: string;
  readonly connectTimeoutSeconds: number;
  /** Destinations of the disks, in their order. */
  readonly destinations: readonly Destination[];
}

/** For each disk, whether it was sent. The primary node sends. */
export async function sendDisks(
  context: UnitContext,
  instance: RealInstance,
  ends: readonly TransferEnd[],
  { destinations, connectTimeoutSeconds, compress, ...trust }: Sending,
): Promise<readonly boolean[]> {
  const { primary_node: node } = instance;
  const loop = new TransferLoop(context);
  const sent = ends.map(() => false);
  for (const [index, end] of ends.entries()) {
    const { host = "", port = 0, magic = "" } = destinations[index] ?? {};
    context.log(`Sending disk ${index} to ${host}:${port}`);
    const options = { ...trust, compress, magic, ipv6: isIpv6(host), connectTimeoutSeconds };
    loop.add({
      kind: "export",
      node,
      connectTimeoutSeconds,
      start: () =>
        ask(context, node, "export_start", {
          instance: instanceOnNode(context.now, instance),
          component: `disk${index}`,
          end,
          options,
          host,
          port,
        }),
      onConnected: () => context.log(`Disk ${index} is now sending data`),
      onProgress: (text) => context.log(`Disk ${index} sent ${text}`),
      onFinished(outcome) {
        context.log(endedText(index, "sending", "send", outcome));
        sent[index] = outcome.isOk;
      },
    });
  }
  await loop.run();
  return sent;
}

interface Receiving extends Trust {
  readonly compress: string;
  readonly connectTimeoutSeconds: number;
  /** Value for the other cluster once all disks are expected at these addresses of the node. */
  readonly announcement: (destinations: readonly Destination[]) => Promise<Json>;
}

/** For each disk, whether it arrived. The primary node receives. */
export async function receiveDisks(
  context: UnitContext,
  instance: RealInstance,
  ends: readonly TransferEnd[],
  { announcement, connectTimeoutSeconds, compress, ...trust }: Receiving,
): Promise<readonly boolean[]> {
  const { primary_node: node } = instance;
  const host = context.now.node(node)?.primary_ip ?? "";
  const loop = new TransferLoop(context);
  const arrived = ends.map(() => false);
  const awaited: (Destination | undefined)[] = ends.map(() => undefined);
  const announced: Promise<void>[] = [];
  const announceOnce = () => {
    const complete = awaited.flatMap((one) => one ?? []);
    if (complete.length < ends.length) return;
    announced.push(announcement(complete).then((text) => context.log(text, "remote-import")));
  };
  for (const [index, end] of ends.entries()) {
    const magic = `${instance.uuid}-${context.jobId}-${index}`;
    const options = { ...trust, compress, magic, ipv6: isIpv6(host), connectTimeoutSeconds };
    loop.add({
      kind: "import",
      node,
      connectTimeoutSeconds,
      start: () =>
        ask(context, node, "import_start", {
          instance: instanceOnNode(context.now, instance),
          component: `disk${index}`,
          end,
          options,
        }),
      onListening(port) {
        context.log(`Disk ${index} is now listening`);
        awaited[index] = { host, port, magic };
        announceOnce();
      },
      onConnected: () => context.log(`Disk ${index} is now receiving data`),
      onFinished(outcome) {
        context.log(endedText(index, "receiving", "receive", outcome));
        awaited[index] = undefined;
        arrived[index] = outcome.isOk;
      },
    });
  }
  await loop.run();
  await Promise.all(announced);
  return arrived;
}

const endedText = (index: number, doing: string, what: string, outcome: TransferOutcome) =>
  outcome.isOk
    ? `Disk ${index} finished ${doing} data`
    : `Disk ${index} failed to ${what} data: ${outcome.message} (recent output: ${outcome.recentOutput})`;
