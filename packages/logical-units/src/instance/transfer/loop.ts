/**
 * Loop over daemons on nodes that send and receive disks: starts them, polls their status and
 * removes them.
 */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeAnswer, TransferStatus } from "@ganeti-ts/node-calls";
import { type NodeUuid, pause, sizeText } from "@ganeti-ts/protocol";
import { ask, secondsText, warn } from "../../unit/effects.js";
import { wrongInput } from "../../unit/refusals.js";
import type { UnitContext, World } from "../../unit/unit.js";
import { nodeName } from "../state.js";

/** One end of a transfer. Its callbacks run in this order. */
export interface TransferDaemon {
  readonly kind: "import" | "export";
  readonly node: NodeUuid;
  readonly connectTimeoutSeconds: number;
  /** Returns the daemon's name. */
  start(): Promise<NodeAnswer<string>>;
  /** Imports only. */
  onListening?(port: number): void;
  onConnected(): void;
  onProgress?(text: string): void;
  onFinished(outcome: TransferOutcome): Promise<void> | void;
}

export interface TransferOutcome {
  readonly isOk: boolean;
  readonly message: string;
  /** Last lines of the daemon's output. */
  readonly recentOutput: string;
}

interface Watched {
  readonly daemon: TransferDaemon;
  /** Set once the daemon is started. */
  name?: string;
  startedMs: number;
  listeningMs?: number;
  failingMs?: number;
  progressMs?: number;
  isConnected: boolean;
  isOver: boolean;
  output?: readonly string[];
}

const pollMs = 1000;
/**
 * Timeouts (ms) until a daemon reports its status, until it listens, and of failing status calls;
 * and the interval between progress reports.
 */
const limits = { ready: 10_000, listen: 10_000, error: 10_000, progress: 60_000 };

/** Source: Ganeti, `lib/masterd/instance.py`, `ImportExportLoop`. */
export class TransferLoop {
  readonly #world: World;
  readonly #now: Snapshot;
  readonly #all: Watched[] = [];

  constructor(context: UnitContext) {
    this.#world = context;
    this.#now = context.now;
  }

  /** May be called while the loop runs. */
  add(daemon: TransferDaemon): void {
    this.#all.push({ daemon, startedMs: 0, isConnected: false, isOver: false });
  }

  /** Returns when all daemons have ended and are removed from their nodes. */
  async run(): Promise<void> {
    try {
      for (;;) {
        const active = this.#all.filter(({ isOver }) => !isOver);
        if (active.length === 0) return;
        const hasMoved = await this.#look(active);
        if (!hasMoved) await pause(this.#world.clock, pollMs, this.#world.signal);
      }
    } finally {
      for (const one of this.#all) await this.#putAway(one);
    }
  }

  /** Ends the daemon at the other end of a failed transfer. */
  async abort(daemon: TransferDaemon): Promise<void> {
    const one = this.#all.find((watched) => watched.daemon === daemon);
    if (one?.name === undefined) return;
    const { kind, node } = daemon;
    warn(this.#world, `Aborting ${kind} '${one.name}' on ${node}`);
    const answer = await ask(this.#world, node, "impexp_abort", { name: one.name });
    if (answer.ok) return;
    warn(this.#world, `Failed to abort ${kind} '${one.name}' on ${node}: ${answer.message}`);
  }

  /** Whether any status has changed. One call for all daemons of a node. */
  async #look(active: readonly Watched[]): Promise<boolean> {
    let hasMoved = false;
    for (const one of active) {
      if (one.name !== undefined) continue;
      hasMoved = true;
      await this.#start(one);
    }
    const running = active.filter(({ name, isOver }) => name !== undefined && !isOver);
    for (const node of new Set(running.map(({ daemon }) => daemon.node))) {
      const those = running.filter(({ daemon }) => daemon.node === node);
      const names = those.flatMap(({ name }) => name ?? []);
      const answer = await ask(this.#world, node, "impexp_status", { names });
      if (!answer.ok) {
        const where = nodeName(this.#now, node);
        warn(this.#world, `Failed to get daemon status on ${where}: ${answer.message}`);
      }
      for (const [at, one] of those.entries()) {
        if (one.isOver) continue;
        const status = answer.ok ? (answer.value[at] ?? null) : undefined;
        if (await this.#learn(one, status)) hasMoved = true;
      }
    }
    return hasMoved;
  }

  async #start(one: Watched): Promise<void> {
    const { daemon } = one;
    const answer = await daemon.start();
    if (!answer.ok) {
      const where = nodeName(this.#now, daemon.node);
      await this.#end(one, false, `Failed to start ${daemon.kind} on ${where}: ${answer.message}`);
      return;
    }
    one.name = answer.value;
    one.startedMs = this.#nowMs();
  }

  /** `status`: null if the node has no such daemon, undefined if the node does not answer. */
  async #learn(one: Watched, status: TransferStatus | null | undefined): Promise<boolean> {
    const { daemon } = one;
    const isLate = (sinceMs: number, limitMs: number) => this.#nowMs() - sinceMs >= limitMs;
    if (status === undefined) {
      one.failingMs ??= this.#nowMs();
      if (!isLate(one.failingMs, limits.error)) return false;
      return this.#giveUp(one, "Too many errors while updating data");
    }
    delete one.failingMs;
    if (status === null) {
      if (!isLate(one.startedMs, limits.ready)) return false;
      return this.#giveUp(one, "Didn't become ready after 10 seconds");
    }
    one.output = status.recentOutput;
    if (status.listenPort !== null && one.listeningMs === undefined) {
      one.listeningMs = this.#nowMs();
      daemon.onListening?.(status.listenPort);
      return true;
    }
    if (status.connected && !one.isConnected) {
      one.isConnected = true;
      daemon.onConnected();
      return true;
    }
    if (status.exitStatus !== null) {
      await this.#end(one, status.exitStatus === 0, status.errorMessage ?? "None");
      return true;
    }
    this.#report(one, status);
    if (daemon.kind === "import" && one.listeningMs === undefined) {
      if (!isLate(one.startedMs, limits.listen)) return false;
      return this.#giveUp(one, "Not listening after 10 seconds");
    }
    const seconds = daemon.connectTimeoutSeconds;
    if (one.isConnected || !isLate(one.listeningMs ?? one.startedMs, seconds * 1000)) return false;
    return this.#giveUp(one, `Not connected after ${seconds} seconds`);
  }

  #report(one: Watched, status: TransferStatus): void {
    const { progressMib, throughputMibPerSecond: speed, progressPercent, etaSeconds } = status;
    const nowMs = this.#nowMs();
    if (speed === null) return;
    if (one.progressMs !== undefined && nowMs - one.progressMs < limits.progress) return;
    one.progressMs = nowMs;
    const parts = [
      ...[sizeText(progressMib), `${speed.toFixed(1)} MiB/s`],
      ...(progressPercent === null ? [] : [`${Math.trunc(progressPercent)}%`]),
      ...(etaSeconds === null ? [] : [`ETA ${secondsText(etaSeconds)}`]),
    ];
    one.daemon.onProgress?.(parts.join(", "));
  }

  async #giveUp(one: Watched, message: string): Promise<true> {
    await this.#end(one, false, message);
    return true;
  }

  /** The daemon is removed before the callback reports its end. */
  async #end(one: Watched, isOk: boolean, message: string): Promise<void> {
    const { daemon, name } = one;
    one.isOver = true;
    await this.#putAway(one);
    if (!isOk) {
      const called = name === undefined ? daemon.kind : `${daemon.kind} '${name}'`;
      warn(this.#world, `${called} on ${nodeName(this.#now, daemon.node)} failed: ${message}`);
    }
    const recentOutput = one.output?.join("\n") ?? "None";
    await daemon.onFinished({ isOk, message, recentOutput });
  }

  async #putAway(one: Watched): Promise<void> {
    const { daemon, name } = one;
    if (name === undefined) return;
    delete one.name;
    one.isOver = true;
    const answer = await ask(this.#world, daemon.node, "impexp_cleanup", { name });
    if (answer.ok) return;
    const what = `${daemon.kind} '${name}' on ${daemon.node}`;
    warn(this.#world, `Failed to finalize ${what}: ${answer.message}`);
  }

  #nowMs(): number {
    return this.#world.clock.wallMicros() / 1000;
  }
}

/** @throws PrereqError `wrong_input` for a program that the cluster does not allow */
export function checkCompressionTool({ cluster }: Snapshot, tool: string): void {
  const allowed = cluster.compression_tools;
  if (tool === "none" || allowed.includes(tool)) return;
  wrongInput(`Compression tool not allowed, tools allowed are [${allowed.join(", ")}]`);
}
