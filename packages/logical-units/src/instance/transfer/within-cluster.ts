/** Disk transfers between nodes of the cluster: both ends are started and watched. */
import { instanceOnNode } from "@ganeti-ts/config";
import type { TransferEnd } from "@ganeti-ts/node-calls";
import type { NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { ask } from "../../unit/effects.js";
import type { UnitContext } from "../../unit/unit.js";
import { nodeName } from "../state.js";
import { type TransferDaemon, TransferLoop, type TransferOutcome } from "./loop.js";

export interface Transfer {
  /** Such as `disk/0`, for messages. */
  readonly label: string;
  readonly source: TransferEnd;
  readonly target: TransferEnd;
}

export interface Route {
  readonly instance: RealInstance;
  readonly from: NodeUuid;
  readonly to: NodeUuid;
  readonly compress: string;
}

const connectTimeoutSeconds = 60;

/** For each transfer, whether it arrived. All run at the same time. */
export async function transferAll(
  context: UnitContext,
  route: Route,
  transfers: readonly Transfer[],
): Promise<readonly boolean[]> {
  const loop = new TransferLoop(context);
  const arrived = transfers.map(() => true);
  for (const [index, transfer] of transfers.entries()) {
    const { label } = transfer;
    context.log(
      `Exporting ${label} from ${nodeName(context.now, route.from)} to ${nodeName(context.now, route.to)}`,
    );
    const record = (isOk: boolean) => {
      arrived[index] &&= isOk;
    };
    const pair = pairOf(context, route, transfer, { index, loop, record });
    loop.add(pair.receiver);
  }
  await loop.run();
  return arrived;
}

/** One of several transfers of a loop. */
interface Watching {
  readonly index: number;
  readonly loop: TransferLoop;
  /** Called when an end has finished. */
  readonly record: (isOk: boolean) => void;
}

/** The sender starts when the receiver listens; if one fails, the other is aborted. */
function pairOf(
  context: UnitContext,
  { instance, from, to, compress }: Route,
  { label, source, target }: Transfer,
  { index, loop, record }: Watching,
) {
  const { now } = context;
  const common = {
    instance: instanceOnNode(now, instance),
    component: `disk${index}`,
    options: {
      compress,
      magic: `${instance.uuid}-${context.jobId}-${index}`,
      ipv6: false,
      keyName: null,
      caPem: null,
      connectTimeoutSeconds,
    },
  };
  let sender: TransferDaemon | undefined;
  const failed = (what: string, { message, recentOutput }: TransferOutcome) =>
    context.log(`${label} failed to ${what} data: ${message} (recent output: ${recentOutput})`);
  const receiver: TransferDaemon = {
    kind: "import",
    node: to,
    connectTimeoutSeconds,
    start: () => ask(context, to, "import_start", { ...common, end: target }),
    onListening(port) {
      context.log(`${label} is now listening, starting export`);
      const host = now.node(to)?.secondary_ip ?? "";
      sender = senderTo(host, port);
      loop.add(sender);
    },
    onConnected: () => context.log(`${label} is receiving data on ${nodeName(now, to)}`),
    async onFinished(outcome) {
      if (outcome.isOk) context.log(`${label} finished receiving data`);
      else failed("receive", outcome);
      record(outcome.isOk);
      if (!outcome.isOk && sender !== undefined) await loop.abort(sender);
    },
  };
  const senderTo = (host: string, port: number): TransferDaemon => ({
    kind: "export",
    node: from,
    connectTimeoutSeconds,
    start: () => ask(context, from, "export_start", { ...common, end: source, host, port }),
    onConnected: () => context.log(`${label} is sending data on ${nodeName(now, from)}`),
    onProgress: (text) => context.log(`${label} sent ${text}`),
    async onFinished(outcome) {
      if (outcome.isOk) context.log(`${label} finished sending data`);
      else failed("send", outcome);
      record(outcome.isOk);
      if (!outcome.isOk) await loop.abort(receiver);
    },
  });
  return { receiver };
}
