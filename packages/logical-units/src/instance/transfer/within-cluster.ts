/** Disks on their way from one node of the cluster to another: both ends are started and watched. */
import type { Snapshot } from "@ganeti-ts/config";
import { instanceOnNode } from "@ganeti-ts/config";
import type { TransferEnd } from "@ganeti-ts/node-calls";
import type { NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { ask } from "../../unit/calls.js";
import type { World } from "../../unit/unit.js";
import { nodeName } from "../state.js";
import { type TransferDaemon, TransferLoop, type TransferOutcome } from "./loop.js";

export interface Transfer {
  /** `disk/0`, as messages call it. */
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

/** By transfer: whether it arrived. All run at the same time. */
export async function transferAll(
  world: World,
  now: Snapshot,
  route: Route,
  transfers: readonly Transfer[],
): Promise<readonly boolean[]> {
  const loop = new TransferLoop(world, now);
  const arrived = transfers.map(() => true);
  for (const [index, transfer] of transfers.entries()) {
    const { label } = transfer;
    world.log(`Exporting ${label} from ${nodeName(now, route.from)} to ${nodeName(now, route.to)}`);
    const pair = pairOf(world, now, route, transfer, index, loop, (isOk) => {
      arrived[index] &&= isOk;
    });
    loop.add(pair.receiver);
  }
  await loop.run();
  return arrived;
}

/** The sender starts when the receiver listens; if one fails, the other is ended. */
function pairOf(
  world: World,
  now: Snapshot,
  { instance, from, to, compress }: Route,
  { label, source, target }: Transfer,
  index: number,
  loop: TransferLoop,
  record: (isOk: boolean) => void,
) {
  const common = {
    instance: instanceOnNode(now, instance),
    component: `disk${index}`,
    options: {
      ...{ compress, magic: `${instance.uuid}-${world.jobId}-${index}`, ipv6: false },
      ...{ keyName: null, caPem: null, connectTimeoutSeconds },
    },
  };
  let sender: TransferDaemon | undefined;
  const failed = (what: string, { message, recentOutput }: TransferOutcome) =>
    world.log(`${label} failed to ${what} data: ${message} (recent output: ${recentOutput})`);
  const receiver: TransferDaemon = {
    ...{ kind: "import", node: to, connectTimeoutSeconds },
    start: () => ask(world, to, "import_start", { ...common, end: target }),
    onListening(port) {
      world.log(`${label} is now listening, starting export`);
      const host = now.node(to)?.secondary_ip ?? "";
      sender = senderTo(host, port);
      loop.add(sender);
    },
    onConnected: () => world.log(`${label} is receiving data on ${nodeName(now, to)}`),
    async onFinished(outcome) {
      if (outcome.isOk) world.log(`${label} finished receiving data`);
      else failed("receive", outcome);
      record(outcome.isOk);
      if (!outcome.isOk && sender !== undefined) await loop.abort(sender);
    },
  };
  const senderTo = (host: string, port: number): TransferDaemon => ({
    ...{ kind: "export", node: from, connectTimeoutSeconds },
    start: () => ask(world, from, "export_start", { ...common, end: source, host, port }),
    onConnected: () => world.log(`${label} is sending data on ${nodeName(now, from)}`),
    onProgress: (text) => world.log(`${label} sent ${text}`),
    async onFinished(outcome) {
      if (outcome.isOk) world.log(`${label} finished sending data`);
      else failed("send", outcome);
      record(outcome.isOk);
      if (!outcome.isOk) await loop.abort(receiver);
    },
  });
  return { receiver };
}
