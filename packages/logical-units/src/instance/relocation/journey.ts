/** An instance on its way from one node to another, and its disks on both of them. */
import type { Snapshot } from "@ganeti-ts/config";
import { diskOnNode, instanceOnNode, realDisksOf } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { pause } from "@ganeti-ts/protocol";
import { ask, valueOrFail } from "../../unit/calls.js";
import { warn } from "../../unit/feedback.js";
import type { World } from "../../unit/unit.js";
import { nodeName } from "../state.js";

export interface Journey {
  /** As it is at the source. */
  readonly instance: RealInstance;
  readonly source: NodeUuid;
  readonly target: NodeUuid;
}

const onNodes = (now: Snapshot, { instance }: Journey): readonly DiskOnNode[] =>
  realDisksOf(now, instance).map((disk) => diskOnNode(now, instance, disk));

export const travellerOnNode = (world: World, { instance }: Journey) =>
  instanceOnNode(world.config.snapshot, instance);

/** Makes its disks usable there: for one node alone, or for both while it migrates. @throws ExecError */
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

/** `proceed`: whatever the node says. @throws ExecError, but not if the node is offline */
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

/** Where there is one: lets go of the mirror's peer. @throws ExecError */
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

/** `multimaster`: both sides may be primary. @throws ExecError */
export async function connectMirrors(
  world: World,
  journey: Journey,
  multimaster: boolean,
): Promise<void> {
  world.log(`* changing disks into ${multimaster ? "dual" : "single"}-master mode`);
  const now = world.config.snapshot;
  const both = [journey.source, journey.target];
  // The sides wait for each other.
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

/** Disks that a node must let go of by itself when the instance is elsewhere; failures stay unsaid. */
export async function unmapDisks(world: World, journey: Journey, node: NodeUuid): Promise<void> {
  const now = world.config.snapshot;
  const mapped = onNodes(now, journey).filter(({ dev_type }) => ["rbd", "ext"].includes(dev_type));
  if (mapped.length === 0) return;
  const names = mapped.map(({ name }) => name ?? "None").join(", ");
  world.log(`* unmapping instance's disks ${names} from ${nodeName(now, node)}`);
  for (const disk of mapped) await ask(world, node, "blockdev_shutdown", { disk });
}
