/** Calls about the connections of mirrors. */
import { type DiskOnNode, diskText } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../../context.js";
import { faultOf, NodeFailure } from "../../failure.js";
import { handlers } from "../../handlers.js";
import { waitFor } from "../../machine/wait-for.js";
import { attempt } from "../failures.js";
import { hasAddresses } from "./assembly.js";
import { connect, disconnect, setupOf } from "./drbdsetup.js";
import { type Kernel, kernel } from "./kernel.js";
import { type Mirror, mirrorOf } from "./mirror.js";
import {
  isConnected,
  isDiskless,
  isStandalone,
  isSynchronising,
  isUpToDate,
  type MirrorState,
} from "./proc.js";

export function netCalls(context: NodeContext) {
  const drbd = kernel(context);
  return handlers({
    async drbd_disconnect_net({ disks }) {
      for (const of of await foundMirrors(drbd, disks)) {
        await attempt("Can't change network configuration to standalone mode", () =>
          makeStandalone(context, drbd, of),
        );
      }
    },
    async drbd_attach_net({ disks, multimaster }) {
      const mirrors = await foundMirrors(drbd, disks);
      for (const of of mirrors) {
        await attempt("Can't change network configuration", () =>
          attachNet(context, drbd, of, multimaster),
        );
      }
      await waitForPeers(context, drbd, mirrors, multimaster);
    },
    async drbd_wait_sync({ disks }) {
      await foundMirrors(drbd, disks);
      const states: MirrorState[] = [];
      for (const disk of disks) states.push(await connectedState(context, drbd, disk));
      return {
        done: !states.some(isSynchronising),
        syncPercent: Math.min(100, ...states.map(({ syncPercent }) => syncPercent ?? 100)),
      };
    },
    async drbd_needs_activation({ disks }) {
      const down: string[] = [];
      for (const disk of disks) {
        const state = await drbd.mirror(mirrorOf(disk).minor);
        if (state === null || isStandalone(state) || isDiskless(state)) down.push(disk.uuid);
      }
      return down;
    },
  });
}

/** Rejects with `Can't find device …` unless all of them are up. */
async function foundMirrors(
  drbd: Kernel,
  disks: readonly DiskOnNode[],
): Promise<readonly Mirror[]> {
  const mirrors = disks.map(mirrorOf);
  for (const [at, disk] of disks.entries()) {
    if ((await drbd.mirror((mirrors[at] as Mirror).minor)) === null) {
      throw new NodeFailure(`Can't find device ${diskText(disk)}`);
    }
  }
  return mirrors;
}

async function stateOf(drbd: Kernel, { minor, title }: Mirror): Promise<MirrorState> {
  const state = await drbd.mirror(minor);
  if (state === null) throw new NodeFailure(`${title}: can't find myself in /proc`);
  return state;
}

const disconnectTries = { everyMs: 100, factor: 1.5, everyMsMax: 2_000, forMs: 60_000 };
const attachTries = { everyMs: 100, factor: 1.5, everyMsMax: 5_000, forMs: 120_000 };
const syncTries = { everyMs: 1_000, forMs: 15_000 };

/** Disconnects the mirror, so that it neither has a connection nor waits for one. */
async function makeStandalone(context: NodeContext, drbd: Kernel, of: Mirror): Promise<void> {
  let hasDisconnected = false;
  let fault = "";
  const isDone = await waitFor(
    context,
    async () => {
      if (isStandalone(await stateOf(drbd, of))) return true;
      const failed = await faultOf(() => disconnect(context, of));
      if (failed === null) hasDisconnected = true;
      else {
        context.log.warn(failed);
        fault = `: ${failed}`;
      }
      return isStandalone(await stateOf(drbd, of));
    },
    disconnectTries,
  );
  if (isDone) return;
  throw new NodeFailure(
    hasDisconnected
      ? `${of.title}: device did not react to the 'disconnect' command in a timely manner`
      : `${of.title}: can't shutdown network, even after multiple retries${fault}`,
  );
}

/** Connects a mirror that stands alone. One that is already connected as wanted is left alone. */
async function attachNet(
  context: NodeContext,
  drbd: Kernel,
  of: Mirror,
  isDual: boolean,
): Promise<void> {
  if (!isStandalone(await stateOf(drbd, of))) {
    const setup = await setupOf(context, of.minor);
    if (hasAddresses(setup, of) && setup.allowsTwoPrimaries === isDual) return;
    throw new NodeFailure(`${of.title}: device is not standalone in AttachNet`);
  }
  await connect(context, of, { isDual });
}

async function waitForPeers(
  context: NodeContext,
  drbd: Kernel,
  mirrors: readonly Mirror[],
  isDual: boolean,
): Promise<void> {
  const areUp = await waitFor(
    context,
    async () => {
      let isUp = true;
      for (const of of mirrors) {
        const state = await stateOf(drbd, of);
        const isReady = isDual
          ? isConnected(state) && isUpToDate(state) && state.peerDisk === "UpToDate"
          : isConnected(state) || isSynchronising(state);
        if (isReady) continue;
        isUp = false;
        // DRBD has given up the connection, e.g. because the peer was not ready yet.
        if (!isStandalone(state)) continue;
        await attempt("Can't change network configuration", () => connect(context, of, { isDual }));
      }
      return isUp;
    },
    attachTries,
  );
  if (!areUp) throw new NodeFailure("Timeout in disk reconnecting");
}

async function connectedState(
  context: NodeContext,
  drbd: Kernel,
  disk: DiskOnNode,
): Promise<MirrorState> {
  let state = await stateOf(drbd, mirrorOf(disk));
  const isUp = await waitFor(
    context,
    async () => {
      state = await stateOf(drbd, mirrorOf(disk));
      return isConnected(state) || isSynchronising(state);
    },
    syncTries,
  );
  if (isUp) return state;
  throw new NodeFailure(
    `DRBD device ${diskText(disk)} is not in sync: stats=${state.connection} ${state.role}/${state.peerRole} ${state.disk}/${state.peerDisk}`,
  );
}
