/** Disks on their way from one node to another: both ends are started, and watched until they end. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeObject, RealInstance } from "@ganeti-ts/protocol";
import { ask } from "../../calls.js";
import { instanceOnNode } from "../../instance/on-node.js";
import { sleep } from "../../instance/sleep.js";
import { nodeName } from "../../instance/state.js";
import type { TransferEnd, TransferStatus } from "../../nodes/export-calls.js";
import type { World } from "../../unit.js";

export interface Transfer {
  /** `disk/0`, as messages call it. */
  readonly label: string;
  readonly source: TransferEnd;
  readonly target: TransferEnd;
}

/** How often an end is asked how far it is. */
const pollMs = 1000;
const connectTimeoutSeconds = 60;

/** By transfer: whether it arrived. All run at the same time. */
export const transferAll = (
  world: World,
  now: Snapshot,
  instance: RealInstance,
  target: NodeObject,
  compress: string,
  transfers: readonly Transfer[],
): Promise<readonly boolean[]> => {
  const source = nodeName(now, instance.primary_node);
  return Promise.all(
    transfers.map(async (transfer, index) => {
      world.log(`Exporting ${transfer.label} from ${source} to ${target.name}`);
      return new DiskOnItsWay(world, now, instance, target, compress, transfer, index).arrives();
    }),
  );
};

interface End {
  readonly node: string;
  readonly name: string;
}

class DiskOnItsWay {
  readonly #started: End[] = [];

  constructor(
    readonly world: World,
    readonly now: Snapshot,
    readonly instance: RealInstance,
    readonly target: NodeObject,
    readonly compress: string,
    readonly transfer: Transfer,
    readonly index: number,
  ) {}

  async arrives(): Promise<boolean> {
    try {
      const receiver = await this.#listen();
      if (receiver === undefined) return false;
      const sender = await this.#send(receiver.end, receiver.port);
      return sender !== undefined && (await this.#bothEnd(sender, receiver.end));
    } finally {
      for (const { node, name } of this.#started) {
        await ask(this.world, node, "impexp_cleanup", { name });
      }
    }
  }

  get #common() {
    return {
      instance: instanceOnNode(this.now, this.instance),
      component: `disk${this.index}`,
      options: {
        compress: this.compress,
        magic: `${this.instance.uuid}-${this.world.jobId}-${this.index}`,
        ...{ keyName: null, caPem: null, connectTimeoutSeconds },
      },
    };
  }

  async #listen() {
    const { target, transfer, world } = this;
    const started = await ask(world, target.uuid, "import_start", {
      ...this.#common,
      end: transfer.target,
    });
    if (!started.ok) return this.#failed("receive", started.message, []);
    const end = this.#keep(target.uuid, started.value);
    for (;;) {
      const status = await this.#statusOf(end);
      if (status?.listenPort) {
        world.log(`${transfer.label} is now listening, starting export`);
        return { end, port: status.listenPort };
      }
      if (status === undefined || status.exitStatus !== null) {
        return this.#failed("receive", status?.errorMessage, status?.recentOutput);
      }
      await sleep(world, pollMs);
    }
  }

  async #send(receiver: End, port: number): Promise<End | undefined> {
    const { instance, transfer, target, world } = this;
    const started = await ask(world, instance.primary_node, "export_start", {
      ...this.#common,
      ...{ end: transfer.source, host: target.secondary_ip, port },
    });
    if (!started.ok) {
      await ask(world, receiver.node, "impexp_abort", { name: receiver.name });
      return this.#failed("send", started.message, []);
    }
    world.log(`${transfer.label} is receiving data on ${target.name}`);
    world.log(`${transfer.label} is sending data on ${nodeName(this.now, instance.primary_node)}`);
    return this.#keep(instance.primary_node, started.value);
  }

  async #bothEnd(sender: End, receiver: End): Promise<boolean> {
    const { label } = this.transfer;
    const sent = await this.#ended(sender);
    if (sent?.exitStatus === 0) this.world.log(`${label} finished sending data`);
    else {
      this.#failed("send", sent?.errorMessage, sent?.recentOutput);
      await ask(this.world, receiver.node, "impexp_abort", { name: receiver.name });
    }
    const received = await this.#ended(receiver);
    if (received?.exitStatus === 0) this.world.log(`${label} finished receiving data`);
    else this.#failed("receive", received?.errorMessage, received?.recentOutput);
    return sent?.exitStatus === 0 && received?.exitStatus === 0;
  }

  /** Undefined if nothing is known of it any more. */
  async #ended(end: End): Promise<TransferStatus | undefined> {
    for (;;) {
      const status = await this.#statusOf(end);
      if (status === undefined || status.exitStatus !== null) return status;
      await sleep(this.world, pollMs);
    }
  }

  async #statusOf({ node, name }: End): Promise<TransferStatus | undefined> {
    const answer = await ask(this.world, node, "impexp_status", { names: [name] });
    return (answer.ok && answer.value[0]) || undefined;
  }

  #keep(node: string, name: string): End {
    const end = { node, name };
    this.#started.push(end);
    return end;
  }

  #failed(
    what: "send" | "receive",
    message: string | null | undefined,
    output: readonly string[] = [],
  ): undefined {
    const recent = output.map((line) => `'${line}'`).join(", ");
    this.world.log(
      `${this.transfer.label} failed to ${what} data: ${message ?? "unknown error"} (recent output: [${recent}])`,
    );
    return undefined;
  }
}
