/** createNodeRpcClient: a node back end that calls node daemons. */
import {
  type DiskOnNode,
  failed,
  type MirrorEnds,
  type NodeAddress,
  type NodeAnswer,
  type NodeBackend,
  type NodeCallArguments,
  type NodeCaller,
  type NodeCallName,
  type NodeCallValue,
  type TimeoutClass,
} from "@ganeti-ts/node-calls";
import { catalogEntry, timeoutSeconds } from "@ganeti-ts/node-calls/catalog";
import {
  JsonError,
  parseJson,
  systemClock,
  type Timers,
  writeAsciiJson,
} from "@ganeti-ts/protocol";
import { type Certificates, type ClientCertificates, FromCertificates } from "../certificates.js";
import { decodeAnswer, encodeArguments } from "../wire/codec.js";
import type { WireContext } from "../wire/context.js";
import { WireError } from "../wire/format.js";
import { type OwnIdentity, ownIdentity } from "./identity.js";
import { Figures, type NodeRpcMetrics } from "./metrics.js";
import { Slots } from "./slots.js";
import { type HttpAnswer, post, TransportError } from "./transport.js";

/** Options of a client: certificates and settings. */
export type NodeRpcClientOptions = Certificates<ClientCertificates> & NodeRpcClientSettings;

/** Options of a client other than its certificates. */
export interface NodeRpcClientSettings {
  /** TCP port of all node daemons. Default 1811. */
  readonly port?: number;
  /** Ports of individual nodes that do not use the common one, by UUID. */
  readonly ports?: Readonly<Record<string, number>>;
  /** Time limits of calls (ms) by timeout class. Default: those of Ganeti. */
  readonly timeoutsMs?: Partial<Readonly<Record<TimeoutClass, number>>>;
  /** Time limit of a connection attempt. Default 5 s. */
  readonly connectMs?: number;
  /** Time limit of a TLS handshake, because a stopped daemon accepts connections but never answers. Default 10 s. */
  readonly handshakeMs?: number;
  /** Maximum size of an answer. Default 64 MiB. */
  readonly answerBytesMax?: number;
  /** Maximum number of concurrent calls to one node; further ones wait. Default 20, as many as a daemon serves. */
  readonly callsPerNodeMax?: number;
  /** Paths carry the prefix of virtual clusters. Default false. */
  readonly virtualPaths?: boolean;
  /** Clock for time limits. Default: the clock of the machine. */
  readonly clock?: Timers;
  /** Folder of the exports on a node. Default `/var/lib/ganeti/export`, as in Debian's packages. */
  readonly exportDirectory?: (node: NodeAddress) => string;
}

/** A node back end over Ganeti's node RPC, with metrics of its calls. */
export interface NodeRpcClient extends NodeBackend {
  metrics(): NodeRpcMetrics;
}

/**
 * A node back end over HTTPS. All connections share one secure context until the certificates change.
 *
 * The lease of a caller is not transmitted: whether a node accepts calls depends on the certificate alone.
 * @throws Error if a certificate or key cannot be read
 */
export const createNodeRpcClient = (options: NodeRpcClientOptions): NodeRpcClient =>
  new Client(options);

/** Directory in which Debian's packages keep exports. */
const packagedExports = "/var/lib/ganeti/export";

interface KnownNode {
  readonly address: NodeAddress;
  readonly slots: Slots;
}

class Client implements NodeRpcClient {
  readonly #options: NodeRpcClientOptions;
  readonly #identity: FromCertificates<ClientCertificates, OwnIdentity>;
  readonly #clock: Timers;
  readonly #nodes = new Map<string, KnownNode>();
  readonly #figures = new Figures();

  constructor(options: NodeRpcClientOptions) {
    this.#options = options;
    this.#identity = new FromCertificates(options, ownIdentity);
    this.#clock = options.clock ?? systemClock;
  }

  async introduce(address: NodeAddress): Promise<void> {
    const { callsPerNodeMax = 20 } = this.#options;
    const slots = this.#nodes.get(address.uuid)?.slots ?? new Slots(callsPerNodeMax);
    this.#nodes.set(address.uuid, { address, slots });
  }

  async call<Name extends NodeCallName>(
    node: string,
    name: Name,
    args: NodeCallArguments<Name>,
    caller: NodeCaller,
  ): Promise<NodeAnswer<NodeCallValue<Name>>> {
    const known = this.#nodes.get(node);
    if (known === undefined) return failed(`Node ${node} was not introduced`);
    try {
      return await this.#spoken(known, name, args, caller);
    } catch (error) {
      if (error instanceof WireError) return failed(error.message);
      throw error;
    }
  }

  metrics(): NodeRpcMetrics {
    const slots = [...this.#nodes.values()].map((node) => node.slots);
    return {
      calls: new Map(this.#figures.byCall),
      running: slots.reduce((sum, { running }) => sum + running, 0),
      waiting: slots.reduce((sum, { waiting }) => sum + waiting, 0),
    };
  }

  async #spoken<Name extends NodeCallName>(
    { address, slots }: KnownNode,
    name: Name,
    args: NodeCallArguments<Name>,
    { signal }: NodeCaller,
  ): Promise<NodeAnswer<NodeCallValue<Name>>> {
    const context = this.#contextOf(address);
    const body = writeAsciiJson(encodeArguments(name, args, context));
    if (!(await slots.take(signal))) return failed("The call was cancelled before it was sent");
    const began = this.#clock.now();
    const { port = 1811, ports = {}, connectMs = 5_000, handshakeMs = 10_000 } = this.#options;
    const exchange = {
      host: address.primaryIp,
      port: ports[address.uuid] ?? port,
      call: name,
      body,
      totalMs: this.#totalMs(name, args),
      signal,
    };
    const answerBytesMax = this.#options.answerBytesMax ?? 64 * 1024 * 1024;
    let bytesReceived = 0;
    let answer: NodeAnswer<NodeCallValue<Name>> = failed("");
    try {
      const limits = { connectMs, handshakeMs, answerBytesMax, clock: this.#clock };
      const http = await post(exchange, this.#identity.current, limits);
      bytesReceived = Buffer.byteLength(http.body);
      answer = read(name, http, context);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      answer = failed(error.message);
    } finally {
      slots.release();
      const milliseconds = this.#clock.now() - began;
      const ended = { failed: !answer.ok, bytesSent: body.length, bytesReceived, milliseconds };
      this.#figures.count(name, ended);
    }
    return answer.ok ? answer : failed(shortened(answer.message));
  }

  #totalMs<Name extends NodeCallName>(name: Name, args: NodeCallArguments<Name>): number {
    if (name === "test_delay") {
      return Math.floor((args as NodeCallArguments<"test_delay">).seconds + 5) * 1000;
    }
    const { timeout } = catalogEntry(name);
    return this.#options.timeoutsMs?.[timeout] ?? timeoutSeconds[timeout] * 1000;
  }

  #contextOf(node: NodeAddress): WireContext {
    const { virtualPaths = false, exportDirectory = () => packagedExports } = this.#options;
    return {
      virtualPaths,
      exportDirectory: exportDirectory(node),
      ends: (disk) => this.#ends(node.uuid, disk),
    };
  }

  /**
   * Addresses of a mirror between introduced nodes; null if this node is not one of the two. A single side that is left to be
   * removed has no peer: an empty address keeps daemons from connecting it.
   */
  #ends(node: string, { dev_type, logical_id }: DiskOnNode): MirrorEnds | null {
    if (dev_type !== "drbd") return null;
    const [a, b, , minorA, minorB] = logical_id;
    const sides = node === a ? [a, b] : node === b ? [b, a] : undefined;
    if (sides === undefined) return null;
    const [localIp, remoteIp] = sides.map((side) =>
      side === null ? "" : this.#secondaryIp(String(side)),
    );
    const minors = node === a ? [minorA, minorB] : [minorB, minorA];
    const [localMinor, remoteMinor] = minors;
    return { localIp, remoteIp, localMinor, remoteMinor: remoteMinor ?? localMinor } as MirrorEnds;
  }

  #secondaryIp(node: string): string {
    const known = this.#nodes.get(node);
    if (known === undefined) throw new WireError(`Node ${node} of a mirror was not introduced`);
    return known.address.secondaryIp;
  }
}

/** Maximum length of a message, because messages are stored in logs and jobs. */
const messageMax = 64 * 1024;

const shortened = (message: string): string =>
  message.length <= messageMax ? message : `${message.slice(0, messageMax)}…`;

function read<Name extends NodeCallName>(
  name: Name,
  { status, body }: HttpAnswer,
  context: WireContext,
): NodeAnswer<NodeCallValue<Name>> {
  if (status !== 200) return failed(body === "" ? `HTTP status ${status}` : body);
  try {
    return decodeAnswer(name, parseJson(body), context);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return failed(`Error while decoding JSON from HTTP response: ${error.message}`);
  }
}
