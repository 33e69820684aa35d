/** Relocation of an instance between two nodes: its disks at the source and at the target. */
import { diskOnNode, instanceOnNode, realDisksOf, type Snapshot } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { diskTraits, type NodeUuid, pause, type RealInstance } from "@ganeti-ts/protocol";
import { ask, valueOrFail, warn } from "../../unit/effects.js";
import type { World } from "../../unit/unit.js";
import { nodeName } from "../state.js";

export interface Journey {
  /** The instance as it is at the source. */
  readonly instance: RealInstance;
  readonly source: NodeUuid;
  readonly target: NodeUuid;
}

const onNodes = (now: Snapshot, { instance }: Journey): readonly DiskOnNode[] =>
  realDisksOf(now, instance).map((disk) => diskOnNode(now, instance, disk));

export const travellerOnNode = (world: World, { instance }: Journey) =>
  instanceOnNode(world.config.snapshot, instance);

/** Opens its disks there: for one node alone, or for both during a migration. @throws ExecError */
export async function openDisks(
  world: World,
  journey: Journey,
  node: NodeUuid,
  exclusive: boolean,
): Promise<void> {
  const now = world.config.snapshot;
  const name = nodeName(now, node);
  const mode = exclusive ? "exclusive" : "shared";
  world.log(`* opening instance disks on node ${name} in ${mode} mode`);
  valueOrFail(
    await ask(world, node, "blockdev_open", {
      disks: onNodes(now, journey),
      owner: journey.instance.name,
      exclusive,
    }),
    `Cannot open instance disks on node ${name}`,
  );
}

/** `proceed`: ignores errors of the node. @throws ExecError, but not if the node is offline */
export async function closeDisks(
  world: World,
  journey: Journey,
  node: NodeUuid,
  proceed = false,
): Promise<void> {
  const now = world.config.snapshot;
  const name = nodeName(now, node);
  world.log(`* closing instance disks on node ${name}`);
  const answer = await ask(world, node, "blockdev_close", {
    disks: onNodes(now, journey),
    owner: journey.instance.name,
  });
  if (answer.ok) return;
  if (!answer.offline && !proceed) {
    throw new ExecError(`Cannot close instance disks on node ${name}: ${answer.message}`);
  }
  warn(world, `Could not close instance disks on node ${name}, proceeding anyway`);
}

/** Disconnects mirrors from their peers, if there are mirrors. @throws ExecError */
export async function disconnectMirrors(world: World, journey: Journey): Promise<void> {
  world.log("* changing into standalone mode");
  const now = world.config.snapshot;
  for (const node of [journey.source, journey.target]) {
    valueOrFail(
      await ask(world, node, "drbd_disconnect_net", { disks: onNodes(now, journey) }),
      `Cannot disconnect disks node ${nodeName(now, node)}`,
    );
  }
}

/** `multimaster`: allows both sides to be primary. @throws ExecError */
export async function connectMirrors(
  world: World,
  journey: Journey,
  multimaster: boolean,
): Promise<void> {
  world.log(`* changing disks into ${multimaster ? "dual" : "single"}-master mode`);
  const now = world.config.snapshot;
  const both = [journey.source, journey.target];
  // Both sides are called at the same time because they wait for each other.
  const answers = await Promise.all(
    both.map((node) =>
      ask(world, node, "drbd_attach_net", { disks: onNodes(now, journey), multimaster }),
    ),
  );
  for (const [at, answer] of answers.entries()) {
    valueOrFail(answer, `Cannot change disks config on node ${nodeName(now, both[at] ?? "")}`);
  }
}

const syncPollMs = 2000;

/** @throws ExecError */
export async function awaitMirrors(world: World, journey: Journey): Promise<void> {
  world.log("* wait until resync is done");
  const now = world.config.snapshot;
  for (;;) {
    let isDone = true;
    let least = 100;
    for (const node of [journey.source, journey.target]) {
      const { done, syncPercent } = valueOrFail(
        await ask(world, node, "drbd_wait_sync", { disks: onNodes(now, journey) }),
        `Cannot resync disks on node ${nodeName(now, node)}`,
      );
      isDone &&= done;
      least = Math.min(least, syncPercent);
    }
    if (isDone) return;
    if (least < 100) world.log(`   - progress: ${least.toFixed(1)}%`);
    await pause(world.clock, syncPollMs, world.signal);
  }
}

/**
 * Unmaps disks that the node keeps mapped after the instance has left; failures are not reported.
 */
export async function unmapDisks(world: World, journey: Journey, node: NodeUuid): Promise<void> {
  const now = world.config.snapshot;
  const mapped = onNodes(now, journey).filter(({ dev_type }) => diskTraits[dev_type].mapped);
  if (mapped.length === 0) return;
  const names = mapped.map(({ name }) => name ?? "None").join(", ");
  world.log(`* unmapping instance's disks ${names} from ${nodeName(now, node)}`);
  for (const disk of mapped) await ask(world, node, "blockdev_shutdown", { disk });
}
