/** Disks of type drbd: mirrors on two nodes. */
import { type DiskOnNode, diskText } from "@ganeti-ts/node-calls";
import { bytesPerMib } from "@ganeti-ts/protocol";
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { outputOf, succeeded } from "../../machine/runner.js";
import { waitFor } from "../../machine/wait-for.js";
import type { Device, DiskType, Growth, OwnStatus } from "../disk-type.js";
import { deviceBytes, ran, runOrFail } from "../programs.js";
import { bringUp, complete, hasStorage } from "./assembly.js";
import { checkMetaSize, initMeta, readFault, setupOf } from "./drbdsetup.js";
import { type Kernel, kernel } from "./kernel.js";
import { type Mirror, majorNumber, mirrorOf, type Storage } from "./mirror.js";
import { drbdParameters } from "./options.js";
import {
  isConnected,
  isDiskless,
  isStandalone,
  isSynchronising,
  isUpToDate,
  type MirrorState,
} from "./proc.js";

/** `children`: the disk type of the data and metadata volumes. */
export function drbdDisks(context: NodeContext, children: DiskType): DiskType {
  const drbd = kernel(context);
  return {
    isAssembledOnSecondary: true,
    isOpenedOnSecondary: false,
    parameters: drbdParameters,
    toleratesMissingChildren: true,
    ...mirrorLife(context, drbd),
    ...mirrorChanges(context, drbd, children),
  };
}

const deviceOf = ({ path, minor }: Mirror): Device => ({
  path,
  major: majorNumber,
  minor,
  uri: null,
});

type Life = "find" | "create" | "assemble" | "open" | "close" | "shutdown" | "remove";

function mirrorLife(context: NodeContext, drbd: Kernel): Pick<DiskType, Life> {
  const { run } = context;
  const down = async (disk: DiskOnNode): Promise<void> => {
    const { minor, resource, title } = mirrorOf(disk);
    const state = (await drbd.stateIfLoaded())?.minors.get(minor);
    if (state === undefined) return;
    const ended = await ran(run, ["drbdsetup", "down", resource]);
    // An interrupted start leaves a minor without a configuration, perhaps even without its resource.
    if (succeeded(ended) || state === null) return;
    throw new NodeFailure(`${title}: can't shutdown drbd device: ${outputOf(ended)}`);
  };
  return {
    async find(disk) {
      const of = mirrorOf(disk);
      return (await drbd.mirror(of.minor)) === null ? null : deviceOf(of);
    },
    async create(disk, { children }) {
      await drbd.load();
      await createMirror(context, drbd, mirrorOf(disk), disk, children);
    },
    async assemble(disk, children) {
      await drbd.load();
      const of = mirrorOf(disk);
      const { storage, fault } = await readableStorage(context, storageOf(children));
      const isConfigured = (await drbd.mirror(of.minor)) !== null;
      try {
        await (isConfigured ? complete : bringUp)(context, of, storage);
      } catch (error) {
        if (!(error instanceof NodeFailure) || fault === null) throw error;
        throw new NodeFailure(`${error.message}; ${fault}`);
      }
      return deviceOf(of);
    },
    async open(disk, { force }) {
      const { minor, title } = mirrorOf(disk);
      await runOrFail(
        run,
        ["drbdsetup", "primary", String(minor), ...(force ? ["--force"] : [])],
        `${title}: can't make drbd device primary: `,
      );
    },
    async close(disk) {
      const { minor, title } = mirrorOf(disk);
      await runOrFail(
        run,
        ["drbdsetup", "secondary", String(minor)],
        `${title}: can't switch drbd device to secondary: `,
      );
    },
    shutdown: down,
    remove: down,
  };
}

/** Paths of data and metadata; null if one of them is missing. */
export function storageOf(children: readonly (Device | null)[]): Storage | null {
  const [data, meta] = children;
  if (!data?.path || !meta?.path) return null;
  return { data: data.path, meta: meta.path };
}

/** The storage; null if there is none, or if it cannot be read, with the reason in `fault`. */
async function readableStorage(
  context: NodeContext,
  storage: Storage | null,
): Promise<{ readonly storage: Storage | null; readonly fault: string | null }> {
  const fault = storage === null ? null : await readFault(context, storage.meta);
  return { storage: fault === null ? storage : null, fault };
}

/** Writes new metadata for a free minor; a minor that has this storage already is left unchanged. */
async function createMirror(
  context: NodeContext,
  drbd: Kernel,
  { minor, title }: Mirror,
  disk: DiskOnNode,
  children: readonly (Device | null)[],
): Promise<void> {
  const { storage, fault } = await readableStorage(context, storageOf(children));
  if ((await drbd.mirror(minor)) !== null) {
    const setup = await setupOf(context, minor);
    if (storage !== null && hasStorage(setup, storage)) return;
    throw new NodeFailure(`${title}: minor is already in use at Create() time`);
  }
  if (storage === null) {
    const meta = disk.children?.[1];
    const what = `${title}: can't attach to meta device '${meta ? diskText(meta) : "None"}'`;
    throw new NodeFailure(fault === null ? what : `${what}: ${fault}`);
  }
  await checkMetaSize(context, storage.meta);
  await initMeta(context, minor, storage.meta);
}

function mirrorChanges(
  context: NodeContext,
  drbd: Kernel,
  children: DiskType,
): Pick<DiskType, "grow" | "rename" | "setInfo" | "size" | "status" | "pauseSync"> {
  return {
    async grow(disk, growth) {
      const of = mirrorOf(disk);
      const state = await drbd.mirror(of.minor);
      if (state === null) throw new NodeFailure(`${of.title}: Grow called while not attached`);
      const data = disk.children?.[0];
      if (data === undefined || isDiskless(state)) {
        throw new NodeFailure(`${of.title}: cannot grow diskless device`);
      }
      await children.grow(data, growth);
      if (!growth.backingStore && !growth.dryRun) await resize(context, of, growth);
    },
    rename: () => Promise.reject(new Error("Can't rename a drbd device")),
    async setInfo(disk, info) {
      const own = disk.children ?? [];
      // If a child is missing, the mirror has no storage to mark.
      for (const child of own) if ((await children.find(child)) === null) return;
      for (const child of own) await children.setInfo(child, info);
    },
    async size(disk) {
      const { minor, path } = mirrorOf(disk);
      if ((await drbd.mirror(minor)) === null) return null;
      return { bytes: await deviceBytes(context.run, path), spindles: null };
    },
    async status(disk) {
      const { minor, title } = mirrorOf(disk);
      const state = await drbd.mirror(minor);
      if (state === null) throw new NodeFailure(`${title}: can't find myself in /proc`);
      return statusOf(state);
    },
    async pauseSync(disk, isPause) {
      const { minor, title } = mirrorOf(disk);
      const words = ["drbdsetup", isPause ? "pause-sync" : "resume-sync", String(minor)] as const;
      const ended = await ran(context.run, [...words]);
      // 134 and 135: it is already in this state.
      if (succeeded(ended) || /\((134|135)\)/.test(outputOf(ended))) return;
      throw new NodeFailure(`${title}: ${outputOf(ended)}`);
    },
  };
}

/**
 * On a secondary that stands alone the data may be outdated, because its peer may have been written since. A primary that
 * stands alone is the side that is written, so its data are good until the mirror is connected again.
 */
function statusOf(state: MirrorState): OwnStatus {
  const { syncPercent, estimatedSeconds } = state;
  const isGood = isUpToDate(state) && (!isStandalone(state) || state.role === "Primary");
  const local = isGood
    ? "ok"
    : isDiskless(state)
      ? "faulty"
      : isSynchronising(state)
        ? "sync"
        : "unknown";
  return {
    syncPercent,
    estimatedSeconds,
    degraded: !isConnected(state) || !isUpToDate(state),
    localDisk: local,
  };
}

const sizeTries = { everyMs: 500, forMs: 5_000 };

/** Grows the device on storage that both nodes have grown. Its size is checked, because drbdsetup hides a refusal by the kernel. */
async function resize(
  context: NodeContext,
  { minor, title, path, sizeMib }: Mirror,
  { amountMib }: Growth,
): Promise<void> {
  const wantedMib = sizeMib + amountMib;
  await runOrFail(
    context.run,
    ["drbdsetup", "resize", String(minor), "--size", `${wantedMib}m`],
    `${title}: resize failed: `,
  );
  let bytes = 0;
  const hasGrown = async () => {
    bytes = await deviceBytes(context.run, path);
    return bytes >= wantedMib * bytesPerMib;
  };
  if (await waitFor(context, hasGrown, sizeTries)) return;
  throw new NodeFailure(
    `${title}: resize failed: the device has ${bytes} bytes instead of ${wantedMib} MiB`,
  );
}
