/** FaultyNodes: the node daemons of a bench as a node back end, one call of which meets a fault. */
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type {
  NodeAddress,
  NodeAnswer,
  NodeBackend,
  NodeCallArguments,
  NodeCaller,
  NodeCallName,
  NodeCallValue,
} from "@ganeti-ts/node-calls";
import {
  clientCertificateFiles,
  createNodeRpcClient,
  type NodeRpcClient,
  type NodeRpcClientSettings,
} from "@ganeti-ts/node-rpc";
import { systemClock, type Timers } from "@ganeti-ts/protocol";
import type { ReferenceBench, ReferenceNode } from "@ganeti-ts/reference";
import { type Gateway, type Interference, openGateway } from "./gateway.js";
import { unlessHanging } from "./hanging.js";
import { killNoded, stopNoded } from "./noded-processes.js";

/**
 * | fault | the daemon | the caller |
 * | --- | --- | --- |
 * | `killed before` | is killed before the call is sent | cannot connect |
 * | `killed during` | is killed when it has the request | loses the connection |
 * | `killed after` | is killed when it has carried the call out | loses the connection |
 * | `stopped before` | is suspended before the call is sent | gives up the handshake |
 * | `stopped during` | is suspended when it has the request | reaches the timeout of the call |
 * | `answer lost` | continues | loses the connection after the call took effect |
 * | `answer late` | continues | reaches the timeout of the call after it took effect |
 *
 * `mend` restores a daemon that was killed or suspended.
 */
export const faultKinds = [
  "killed before",
  "killed during",
  "killed after",
  "stopped before",
  "stopped during",
  "answer lost",
  "answer late",
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** A call of an operation: the `count`-th one of this name to this node. */
export interface CallPlace {
  readonly node: string;
  readonly call: NodeCallName;
  readonly count: number;
}

export interface MadeCall {
  readonly place: CallPlace;
  readonly node: string;
  readonly method: NodeCallName;
  readonly arguments: unknown;
}

interface Armed {
  readonly place: CallPlace;
  readonly kind: FaultKind;
}

/** Memory (MiB) of every instance of these tests. */
const memoryMiB = 16;

/** Timeout (ms) of a handshake with a suspended daemon. */
const stillMs = 200;

export class FaultyNodes implements NodeBackend {
  readonly #bench: ReferenceBench;
  readonly #addresses = new Map<string, NodeAddress>();
  readonly #gateways: readonly Gateway[];
  /** By UUID of the node; filled as nodes are introduced. */
  readonly #ports: Record<string, number> = {};
  readonly #client: NodeRpcClient;
  /** Client for calls to suspended daemons. */
  readonly #impatient: NodeRpcClient;
  readonly #still = new Map<ReferenceNode, () => Promise<void>>();
  /** With the ends of the daemons' processes. */
  readonly #dead = new Map<ReferenceNode, Promise<void>>();
  #made: MadeCall[] = [];
  readonly #underWay = new Set<CallPlace>();
  /** By node: resolves when its daemon is suspended; no further call is sent before. */
  readonly #stopping = new Map<ReferenceNode, Promise<void>>();
  #counts = new Map<string, number>();
  #armed: Armed | undefined;

  private constructor(bench: ReferenceBench, gateways: readonly Gateway[]) {
    this.#bench = bench;
    this.#gateways = gateways;
    this.#client = this.#newClient({});
    this.#impatient = this.#newClient({ handshakeMs: stillMs });
  }

  static async open(bench: ReferenceBench): Promise<FaultyNodes> {
    const gateways = await Promise.all(bench.nodes.map((node) => openGateway(bench, node)));
    return new FaultyNodes(bench, gateways);
  }

  close(): void {
    for (const gateway of this.#gateways) gateway.close();
  }

  /** Forgets the calls so far; the call at `place`, counted from now on, meets the fault. */
  begin(place?: CallPlace, kind?: FaultKind): void {
    this.#made = [];
    this.#counts = new Map();
    this.#armed = place === undefined || kind === undefined ? undefined : { place, kind };
  }

  /** Calls since `begin`, in the order of their ends. */
  get made(): readonly MadeCall[] {
    return this.#made;
  }

  /** Calls that have not ended. */
  get underWay(): readonly CallPlace[] {
    return [...this.#underWay];
  }

  /** Whether the call that was to meet a fault has been made. */
  get isFaultMet(): boolean {
    return this.#armed === undefined;
  }

  /** Resolves when all daemons run and answer. */
  async mend(): Promise<void> {
    for (const goOn of this.#still.values()) await goOn();
    this.#still.clear();
    for (const [node, ended] of this.#dead) {
      await unlessHanging(this.#revive(node, ended), () => `the daemon of ${node.name}`);
    }
    this.#dead.clear();
  }

  async #revive(node: ReferenceNode, ended: Promise<void>): Promise<void> {
    // One started earlier would be ended as well.
    await ended;
    completeInstances(node);
    await this.#bench.startDaemon(node, "ganeti-noded");
    await this.#bench.call(node, "version", []);
  }

  async introduce(address: NodeAddress): Promise<void> {
    this.#addresses.set(address.uuid, address);
    const at = this.#bench.nodes.findIndex(({ name }) => name === address.name);
    this.#ports[address.uuid] = this.#gateways[at]?.port ?? 0;
    for (const client of [this.#client, this.#impatient]) await client.introduce(local(address));
  }

  async call<Name extends NodeCallName>(
    uuid: string,
    name: Name,
    args: NodeCallArguments<Name>,
    caller: NodeCaller,
  ): Promise<NodeAnswer<NodeCallValue<Name>>> {
    const node = this.#nodeOf(uuid);
    const key = `${node.name} ${name}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const place = { node: node.name, call: name, count };
    const send = (client: NodeRpcClient) => client.call(uuid, name, args, caller);
    const kind = this.#taken(place);
    await this.#stopping.get(node);
    this.#underWay.add(place);
    try {
      if (kind === undefined) return await send(this.#clientFor(node));
      if (!kind.startsWith("stopped")) return await this.#met(kind, node, send);
      return await this.#alone(node, place, (isStill) => this.#met(kind, node, send, isStill));
    } finally {
      this.#underWay.delete(place);
      this.#made.push({ place, node: node.name, method: name, arguments: args });
    }
  }

  #taken({ node, call, count }: CallPlace): FaultKind | undefined {
    if (this.#armed === undefined) return undefined;
    const { place, kind } = this.#armed;
    if (place.node !== node || place.call !== call || place.count !== count) return undefined;
    this.#armed = undefined;
    return kind;
  }

  async #met<Answer>(
    kind: FaultKind,
    node: ReferenceNode,
    send: (client: NodeRpcClient) => Promise<Answer>,
    isStill = () => {},
  ): Promise<Answer> {
    const killed = () => {
      const ended = killNoded(this.#bench, node);
      this.#dead.set(node, ended);
      return ended;
    };
    const stopped = () => {
      this.#still.set(node, stopNoded(this.#bench, node));
      isStill();
    };
    const clock = new ClockByHand();
    const through = (interference: Interference) => this.#through(node, interference, clock, send);
    switch (kind) {
      case "killed before":
        await killed();
        return send(this.#client);
      case "killed during":
        return through({
          requested: () => void killed(),
          answered: (client) => void killed().then(() => client.destroy()),
        });
      case "killed after":
        return through({ answered: (client) => void killed().then(() => client.destroy()) });
      case "stopped before":
        stopped();
        return through({ greeted: () => clock.expire() });
      case "stopped during":
        return through({
          requested: () => {
            stopped();
            clock.expire();
          },
          answered: () => {},
        });
      case "answer lost":
        return through({ answered: (client) => client.destroy() });
      case "answer late":
        return through({ answered: () => clock.expire() });
    }
  }

  /**
   * Makes a call that stops the daemon while no other call to the node is under way, and holds later ones until the daemon
   * stands still: it would stop with them, and their callers would wait for up to an hour.
   */
  async #alone<Answer>(
    node: ReferenceNode,
    place: CallPlace,
    make: (isStill: () => void) => Promise<Answer>,
  ): Promise<Answer> {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#stopping.set(node, held);
    const isStill = () => {
      this.#stopping.delete(node);
      release();
    };
    const isOther = (one: CallPlace) => one.node === node.name && one !== place;
    while (this.underWay.some(isOther)) await pause(5);
    try {
      return await make(isStill);
    } finally {
      isStill();
    }
  }

  /** One call over a gateway and a client of its own. */
  async #through<Answer>(
    node: ReferenceNode,
    interference: Interference,
    clock: Timers,
    send: (client: NodeRpcClient) => Promise<Answer>,
  ): Promise<Answer> {
    const gateway = await openGateway(this.#bench, node, interference);
    try {
      const { uuid = "" } = this.#addressOf(node) ?? {};
      const ports = { ...this.#ports, [uuid]: gateway.port };
      const client = this.#newClient({ clock, ports });
      for (const address of this.#addresses.values()) await client.introduce(local(address));
      return await send(client);
    } finally {
      gateway.close();
    }
  }

  #clientFor(node: ReferenceNode): NodeRpcClient {
    return this.#still.has(node) ? this.#impatient : this.#client;
  }

  #nodeOf(uuid: string): ReferenceNode {
    const name = this.#addresses.get(uuid)?.name;
    const node = this.#bench.nodes.find((one) => one.name === name);
    if (node === undefined) throw new Error(`${uuid} was not introduced`);
    return node;
  }

  #addressOf(node: ReferenceNode): NodeAddress | undefined {
    return [...this.#addresses.values()].find(({ name }) => name === node.name);
  }

  #newClient(settings: NodeRpcClientSettings): NodeRpcClient {
    const { master, nodes } = this.#bench;
    return createNodeRpcClient({
      certificates: clientCertificateFiles({ cluster: master.serverPem, client: master.clientPem }),
      virtualPaths: true,
      exportDirectory: ({ name }) => {
        const node = nodes.find((one) => one.name === name);
        return `${node?.insideRoot}/var/lib/ganeti/export`;
      },
      ports: this.#ports,
      ...settings,
    });
  }
}

/**
 * Ganeti's fake hypervisor opens the file of an instance, and then writes it: a daemon killed in between leaves an empty
 * file, for which it fails all questions about instances. It gets the content of every instance of these tests.
 */
function completeInstances({ runFolder }: ReferenceNode): void {
  const folder = join(runFolder, "fake-hypervisor");
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (statSync(file).size === 0) writeFileSync(file, `0\n${memoryMiB}\n1\n`);
  }
}

/** Addresses of a bench are valid inside only: calls go to a port on loopback. */
const local = (address: NodeAddress): NodeAddress => ({ ...address, primaryIp: "127.0.0.1" });

/** A clock whose timers fire at the test's command, the shortest first. */
class ClockByHand implements Timers {
  readonly #timers: { readonly delayMs: number; readonly then: () => void }[] = [];

  now(): number {
    return systemClock.now();
  }

  after(delayMs: number, then: () => void): () => void {
    const timer = { delayMs, then };
    this.#timers.push(timer);
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at >= 0) this.#timers.splice(at, 1);
    };
  }

  /** Fires the timer with the shortest delay. */
  expire(): void {
    const [first] = this.#timers.toSorted((one, other) => one.delayMs - other.delayMs);
    first?.then();
  }
}
