/** Simulated nodes behind the same port as real ones. */

import type {
  Fence,
  MasterHost,
  NodeAddress,
  NodeBackend,
  NodeCallArguments,
  NodeCaller,
  NodeCallName,
  NodeCallValue,
} from "@ganeti-ts/node-calls";
import { answered, failed, type NodeAnswer } from "@ganeti-ts/node-calls";
import type { CancelSignal, Clock } from "@ganeti-ts/protocol";
import { CallEndings } from "./call-endings.js";
import { type Durations, noDurations } from "./durations.js";
import { setEntry } from "./entries.js";
import { type CallFault, CallFaults } from "./faults.js";
import { fill, removeFilling } from "./filling.js";
import type { HookScript } from "./hook-script.js";
import { boot, type HostSpecification, newHost } from "./host.js";
import {
  type HostOperationName,
  hostOperations,
  lookingOnHost,
  type OnHost,
} from "./host-operations.js";
import { HostStates, nothingTouched, type Touched } from "./host-states.js";
import { simulatedMasterHost } from "./master-host.js";
import { advance, book, pairOf } from "./mirror.js";
import type { HostState, SharedState } from "./node-state.js";
import { NodeStatesError } from "./node-states.js";
import { looking, operations } from "./operations.js";
import type { SimulatedNodesOptions } from "./options.js";
import { NodeFault, Site, type Surroundings } from "./site.js";
import { changeVolume } from "./volume-group.js";

/** One operation on a machine. */
interface Performance<Args, T> {
  readonly name: NodeCallName | HostOperationName;
  readonly args: Args;
  readonly act: (site: Site, args: Args) => T;
  readonly durationMs?: ((site: Site, args: Args) => number) | undefined;
  /** Whether its host has to be saved. */
  readonly changes: boolean;
  /** Lease of the caller, if the operation is subject to fencing. */
  readonly lease?: string;
  /** Ends the waiting of the caller. */
  readonly signal?: CancelSignal;
}

/**
 * Simulated nodes. Deterministic: the same calls at the same times have the same answers. A call
 * takes effect at once at the end of its duration, and the state is saved before the answer; calls
 * do not wait for each other.
 */
export class SimulatedNodes implements NodeBackend, Fence {
  readonly #clock: Clock;
  readonly #states: HostStates;
  readonly #durations: Durations;
  readonly #seed: number;
  readonly #newHost: SimulatedNodesOptions["newHost"];
  readonly #takesAddress: NonNullable<SimulatedNodesOptions["takesAddress"]>;
  readonly #addresses = new Map<string, NodeAddress>();
  readonly #uuidOf = new Map<string, string>();
  readonly #faults = new CallFaults();
  readonly #endings: CallEndings;
  readonly #surroundings: Surroundings;
  #scripts: readonly HookScript[] = [];

  static async open(options: SimulatedNodesOptions): Promise<SimulatedNodes> {
    const states = await HostStates.open(options.states, options.begin);
    const nodes = new SimulatedNodes(options, states);
    for (const specification of options.hosts) await nodes.addHost(specification);
    return nodes;
  }

  private constructor(options: SimulatedNodesOptions, states: HostStates) {
    this.#clock = options.clock;
    this.#endings = new CallEndings(options.clock);
    this.#states = states;
    this.#durations = options.durations ?? noDurations;
    this.#seed = options.seed ?? 0;
    this.#newHost = options.newHost;
    this.#takesAddress = options.takesAddress ?? (() => false);
    this.#surroundings = this.#surroundingsOf();
  }

  /** Adds a machine; does nothing if one with the name exists. */
  async addHost(specification: HostSpecification): Promise<void> {
    if (this.#states.hosts.has(specification.name)) return;
    await this.#states.perform((touched) => {
      if (this.#states.hosts.has(specification.name)) return;
      const host = newHost(specification);
      this.#states.hosts.set(host.name, host);
      touched.add(host);
    });
  }

  /** A node introduced under another name keeps its machine. */
  async introduce(node: NodeAddress): Promise<void> {
    const before = this.#addresses.get(node.uuid);
    if (before !== undefined && before.name !== node.name) {
      await this.#renameMachine(before.name, node);
    }
    this.#addresses.set(node.uuid, node);
    for (const address of [node.name, node.primaryIp, node.secondaryIp]) {
      this.#uuidOf.set(address, node.uuid);
    }
    if (!this.#states.hosts.has(node.name)) await this.#machineOf(node);
  }

  /**
   * The state saved under the old name becomes that of a new, empty machine: names are never
   * removed.
   */
  #renameMachine(from: string, node: NodeAddress): Promise<void> {
    return this.#states.perform((touched) => {
      this.#addresses.set(node.uuid, node);
      this.#uuidOf.delete(from);
      const host = this.#states.hosts.get(from);
      // Another process may have renamed it.
      if (host === undefined || this.#states.hosts.has(node.name)) return;
      const renamed = { ...host, name: node.name };
      const empty = newHost(this.#newHost?.(from) ?? { name: from });
      for (const one of [renamed, empty]) {
        this.#states.hosts.set(one.name, one);
        touched.add(one);
      }
    });
  }

  /** The machine created by another process, or a new one. */
  async #machineOf({ name }: NodeAddress): Promise<void> {
    if (this.#newHost) await this.addHost(this.#newHost(name));
  }

  call<Name extends NodeCallName>(
    node: string,
    name: Name,
    args: NodeCallArguments<Name>,
    { lease, signal }: NodeCaller,
  ): Promise<NodeAnswer<NodeCallValue<Name>>> {
    type Call = Performance<NodeCallArguments<Name>, NodeCallValue<Name>>;
    const operation = operations[name] as unknown as Call["act"] | Pick<Call, "act" | "durationMs">;
    const call = typeof operation === "function" ? { act: operation } : operation;
    return this.#carryOut(node, {
      ...call,
      name,
      args,
      lease,
      signal,
      changes: !looking.has(name),
    });
  }

  fence(node: string, leases: readonly string[], signal: CancelSignal): Promise<NodeAnswer<null>> {
    return this.#carryOut(node, { ...this.#onHost("fence", leases), signal });
  }

  /** The machine of the server: that of the node whose UUID `master` returns. */
  masterHost(master: () => string): MasterHost {
    const on: OnHost = (node, name, ...args) => this.#carryOut(node, this.#onHost(name, ...args));
    return simulatedMasterHost(master, on);
  }

  #onHost(name: HostOperationName, ...args: readonly unknown[]): Performance<undefined, never> {
    const operation = hostOperations[name] as (site: Site, ...args: readonly unknown[]) => never;
    const changes = !lookingOnHost.has(name);
    return { name, args: undefined, act: (site) => operation(site, ...args), changes };
  }

  /** Without a promise of its own for nodes with a machine, which are nearly all. */
  #carryOut<Args, T>(node: string, call: Performance<Args, T>): Promise<NodeAnswer<T>> {
    const address = this.#addresses.get(node);
    if (address === undefined) return Promise.resolve(failed(`Unknown node ${node}`));
    const { hosts } = this.#states;
    try {
      const host = hosts.get(address.name);
      if (host !== undefined) return this.#carryOutOn(address, host, call);
    } catch (error) {
      return Promise.resolve(failureOf(error));
    }
    // Another process may have created the machine, or it has to be created.
    return this.#machineOf(address)
      .catch(() => {})
      .then(() => {
        const made = hosts.get(address.name);
        if (made !== undefined) return this.#carryOutOn(address, made, call);
        return failed(`Error 6: Could not resolve host: ${address.name}`);
      });
  }

  /** The answer comes after the duration of the call, or as soon as its caller gives it up. */
  #carryOutOn<Args, T>(
    address: NodeAddress,
    host: HostState,
    call: Performance<Args, T>,
  ): Promise<NodeAnswer<T>> {
    const { name, args, durationMs, signal } = call;
    const fault = this.#faults.next(address.uuid, name);
    if (fault?.kind === "refused") {
      return Promise.resolve(failed(fault.message ?? `${name}: refused`));
    }
    // Most calls, and all that lists and checks make, take no time of their own.
    const ownMs = durationMs?.(this.#site(address.uuid, host, nothingTouched), args) ?? 0;
    const waitMs = (this.#durations.callMs + ownMs) * host.syncSlowness;
    const end = () => this.#performOn(address, host, call, fault);
    return waitMs > 0
      ? this.#endings.answerAfter(waitMs, end, signal)
      : new Promise((resolve) => resolve(end()));
  }

  #performOn<Args, T>(
    address: NodeAddress,
    host: HostState,
    { act, args, changes, lease }: Performance<Args, T>,
    fault: CallFault | undefined,
  ): NodeAnswer<T> | Promise<NodeAnswer<T>> {
    const lost = () => failed(fault?.message ?? `Error 28: Operation timed out (${address.name})`);
    if (fault?.kind === "lost before") return lost();
    const answer = this.#performOrFail((touched) => {
      // Another process may have changed the state meanwhile.
      const now = this.#states.hosts.get(address.name) ?? host;
      if (!now.powered) return failed(unreachable(address));
      if (lease !== undefined && now.fenced.includes(lease)) {
        return failed(`Lease ${lease} has ended`);
      }
      // Changes made before a call failed are kept.
      if (changes) touched.add(now);
      return this.#act(act, this.#site(address.uuid, now, touched), args);
    });
    if (fault?.kind !== "lost after") return answer;
    return answer instanceof Promise ? answer.then(lost) : lost();
  }

  /** The store is part of the simulation: nodes do not answer without it. Without a store, an answer at once. */
  #performOrFail<T>(
    action: (touched: Touched) => NodeAnswer<T>,
  ): NodeAnswer<T> | Promise<NodeAnswer<T>> {
    if (!this.#states.areSaved) return action(nothingTouched);
    return this.#states.perform(action).catch(failureOf);
  }

  #act<Args, T>(act: (site: Site, args: Args) => T, site: Site, args: Args): NodeAnswer<T> {
    try {
      return answered((act(site, args) ?? null) as T);
    } catch (error) {
      if (error instanceof NodeFault) return failed(error.message);
      throw error;
    }
  }

  #surroundingsOf(): Surroundings {
    const states = this.#states;
    const scripts = () => this.#scripts;
    return {
      get shared() {
        return states.shared;
      },
      get scripts() {
        return scripts();
      },
      durations: this.#durations,
      seed: this.#seed,
      hostOf: (uuid) => this.#hostOf(uuid),
      hostAt: (name) => states.hosts.get(name) ?? this.#hostOf(this.#uuidOf.get(name) ?? ""),
      owns: (uuid, name, address) => this.#owns(uuid, name, address),
    };
  }

  #site(uuid: string, host: HostState, touched: Touched): Site {
    return new Site(uuid, host, this.#clock.wallMicros(), this.#surroundings, touched);
  }

  #owns(uuid: string, name: string, address: string): boolean {
    const own = this.#addresses.get(uuid);
    return (
      own?.primaryIp === address ||
      own?.secondaryIp === address ||
      this.#takesAddress(name, address)
    );
  }

  #hostOf(uuid: string): HostState | undefined {
    const address = this.#addresses.get(uuid);
    return address && this.#states.hosts.get(address.name);
  }

  /** Adds a hook script, which is not saved. Returns a function that removes it. */
  addHook(script: HookScript): () => void {
    this.#scripts = [...this.#scripts, script];
    return () => {
      this.#scripts = this.#scripts.filter((one) => one !== script);
    };
  }

  // Fault injection.

  /** Injects a fault into calls; returns a function that removes it. */
  fail(fault: CallFault): () => void {
    return this.#faults.add(fault);
  }

  /** Powers the node off immediately, until it is powered on. */
  powerOff(node: string): Promise<void> {
    return this.#change(node, (host) => {
      host.powered = false;
    });
  }

  /** Boots the node: no instance runs on it, its disks are unchanged. */
  powerOn(node: string): Promise<void> {
    return this.#change(node, boot);
  }

  /** Stops an instance: shut down by its user, or crashed without a trace. */
  stopInstance(node: string, name: string, by: "user" | "crash"): Promise<void> {
    return this.#change(node, ({ instances }) => {
      const instance = instances[name];
      const isShutDown = instance !== undefined && by === "user";
      setEntry(instances, name, isShutDown ? { ...instance, state: "shutdown" } : undefined);
    });
  }

  /** Fails a physical volume with its contents, until the volume group is repaired. */
  breakPhysicalVolume(node: string, group: string, volume: string): Promise<void> {
    return this.#change(node, ({ volumeGroups }) => {
      const physical = volumeGroups[group]?.physicalVolumes[volume];
      if (physical) physical.missing = true;
    });
  }

  /** Restores a failed physical volume with its contents. */
  mendPhysicalVolume(node: string, group: string, volume: string): Promise<void> {
    return this.#change(node, ({ volumeGroups }) => {
      const physical = volumeGroups[group]?.physicalVolumes[volume];
      if (physical) physical.missing = false;
    });
  }

  /** Makes a logical volume read-only, or writable again; mirrors that use it already go on. */
  setReadOnly(node: string, [group, name]: readonly string[], readOnly: boolean): Promise<void> {
    return this.#change(node, (host) => changeVolume(host, [group, name], { readOnly }));
  }

  /** Leaves only this many MiB free in a volume group or, without one, in the file system. */
  fillDisk(node: string, group: string | undefined, freeMib: number): Promise<void> {
    return this.#change(node, (host) => fill(host, group, freeMib));
  }

  /** Frees the filled space of a volume group or, without one, of the file system. */
  emptyDisk(node: string, group: string | undefined): Promise<void> {
    return this.#change(node, (host) => removeFilling(host, group));
  }

  /** Slows down calls of this node, and mirrors that synchronise to it, by the factor. */
  slowDown(node: string, times: number): Promise<void> {
    return this.#change(node, (host, site) => {
      for (const side of Object.values(host.drbd)) book(site, side, host);
      host.syncSlowness = times;
    });
  }

  /** Present state of the node, for inspection. */
  stateOf(node: string): Readonly<HostState> | undefined {
    return this.#hostOf(node);
  }

  /** Present state of the storage that all nodes share, for inspection. */
  get sharedState(): Readonly<SharedState> {
    return this.#states.shared;
  }

  /** Mirrors are brought up to date before and after. */
  async #change(node: string, change: (host: HostState, site: Site) => void): Promise<void> {
    await this.#states.perform((touched) => {
      const host = this.#hostOf(node);
      if (host === undefined) return;
      touched.add(host);
      const site = this.#site(node, host, touched);
      const settle = () => {
        for (const [minor, side] of Object.entries(host.drbd)) {
          advance(site, pairOf(site, Number(minor), side));
        }
      };
      settle();
      change(host, site);
      settle();
    });
  }
}

const unreachable = ({ name }: NodeAddress): string =>
  `Error 7: Failed to connect to ${name} port 1811: Connection refused`;

/** The answer to a call if the state of its node cannot be read or saved. @throws any other error */
function failureOf(error: unknown): ReturnType<typeof failed> {
  if (error instanceof NodeStatesError) return failed(error.message);
  throw error;
}
