/** The DRBD module of the kernel: its state, its helper, and loading it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { NodeContext } from "../../context.js";
import { ifMissing, NodeFailure } from "../../failure.js";
import { succeeded } from "../../machine/runner.js";
import { ran, reasonAndOutput } from "../programs.js";
import { type KernelState, kernelState, type MirrorState } from "./proc.js";

type Ports = Pick<NodeContext, "run" | "paths" | "log">;

export interface Kernel {
  /** Rejects with NodeFailure if the module is not loaded or is not DRBD 8. */
  state(): Promise<KernelState>;
  /** Null if the module is not loaded. */
  stateIfLoaded(): Promise<KernelState | null>;
  /** Null for a minor that is missing or not configured, and for all minors if the module is not loaded. */
  mirror(minor: number): Promise<MirrorState | null>;
  /** Numbers of the configured minors. */
  usedMinors(): Promise<readonly number[]>;
  /** Program that the kernel calls at events of mirrors. */
  helper(): Promise<string>;
  /** Loads the module unless it is loaded. Rejects as `state` does. */
  load(): Promise<void>;
}

/** Loads the module with a helper that does nothing: events of the mirrors of instances need no handling. */
const moduleWords = ["modprobe", "drbd", "minor_count=128", "usermode_helper=/bin/true"] as const;

export function kernel({ run, paths, log }: Ports): Kernel {
  const file = join(paths.proc, "drbd");
  const state = async (): Promise<KernelState> => kernelState(await moduleText(file));
  const isLoaded = () =>
    readFile(file).then(
      () => true,
      () => false,
    );
  const stateIfLoaded = async () => ((await isLoaded()) ? state() : null);
  return {
    state,
    stateIfLoaded,
    mirror: async (minor) => (await stateIfLoaded())?.minors.get(minor) ?? null,
    usedMinors: async () =>
      [...(await state()).minors].flatMap(([minor, own]) => (own === null ? [] : [minor])),
    async helper() {
      const path = join(paths.modules, "drbd/parameters/usermode_helper");
      const [line = ""] = (await moduleText(path)).split("\n");
      if (line === "") throw new NodeFailure(`Can't read any data from ${path}`);
      return line;
    },
    async load() {
      if (await isLoaded()) return;
      const ended = await ran(run, [...moduleWords]);
      if (!succeeded(ended)) log.warn(`modprobe drbd failed: ${reasonAndOutput(ended)}`);
      await state();
    },
  };
}

async function moduleText(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(ifMissing(null));
  if (text === null) {
    throw new NodeFailure(
      `The file ${path} cannot be opened, check if the module is loaded ([Errno 2] No such file or directory: '${path}')`,
    );
  }
  if (text === "") throw new NodeFailure(`Can't read any data from ${path}`);
  return text;
}
