// Faults of a run: servers that die, freeze or stop, nodes that go away, calls that fail, jobs that are killed.
import type { NodeCallName } from "@ganeti-ts/node-calls";
import type { JsonObject } from "@ganeti-ts/protocol";
import { setVolume } from "@ganeti-ts/simulated-nodes";
import type { Member, World } from "./simulate.js";

export async function makeTrouble(world: World): Promise<void> {
  const { dice, clock, nodes } = world;
  const member = busyMember(world);
  const node = world.uuidOf(world.scope.node());
  switch (dice.between(1, 15)) {
    case 1:
      member.process.die();
      break;
    case 2:
    case 3:
      member.process.freeze(dice.pick([5000, 25_000, 45_000, 120_000]));
      break;
    case 4:
      await powerOff(world, node);
      clock.after(dice.pick([5000, 60_000]), () => void nodes.powerOn(node));
      break;
    case 5:
    case 6: {
      const kind = dice.pick(["refused", "lost before", "lost after"] as const);
      const times = dice.between(1, 3);
      world.repairs.push(nodes.fail({ kind, node, call: dice.pick(failing), times }));
      break;
    }
    case 7: {
      const names = Object.keys(nodes.stateOf(node)?.instances ?? {});
      if (names.length === 0) break;
      await nodes.stopInstance(node, dice.pick(names), dice.pick(["user", "crash"]));
      break;
    }
    case 8:
    case 9:
    case 10:
      await killJob(world);
      break;
    case 11:
      await loseNode(world, node);
      break;
    case 13:
      loseDisks(world);
      break;
    case 12:
      await world.stop(member, dice.pick([0, 1000, 60_000]));
      break;
    default:
      world.addMember();
  }
  world.reviveLater();
}

/** Servers with running jobs are preferred targets of faults. */
function busyMember({ members, dice }: World): Member {
  const busy = members.filter(
    ({ process, cluster }) => process.isAlive && cluster?.queue.heldCount,
  );
  return dice.pick(busy.length > 0 ? busy : members);
}

async function powerOff({ nodes, clock, unreachableSince }: World, node: string): Promise<void> {
  unreachableSince.set(node, clock.now());
  await nodes.powerOff(node);
}

/** A node dies; an administrator fails its instances over and adds the node again after its repair. */
async function loseNode(world: World, uuid: string): Promise<void> {
  const { dice, clock, nodes, snapshot } = world;
  const node = snapshot.node(uuid as never);
  if (node === undefined || uuid === snapshot.cluster.master_node) return;
  await powerOff(world, uuid);
  const node_name = node.name;
  const submit = (...opcodes: readonly JsonObject[]) => {
    const [server] = world.able;
    void server?.queue.submit(opcodes).catch(() => undefined);
  };
  clock.after(10_000, () => {
    submit({ OP_ID: "OP_NODE_SET_PARAMS", node_name, offline: true, auto_promote: true });
    for (const { uuid: instance } of world.snapshot.instancesOfNode(node.uuid).primary) {
      submit({
        ...{ OP_ID: "OP_INSTANCE_FAILOVER", instance_name: instance, shutdown_timeout: 0 },
        ignore_consistency: dice.chance(0.7),
      });
    }
  });
  clock.after(dice.pick([30_000, 90_000]), () => {
    void nodes.powerOn(uuid);
    const back: JsonObject = dice.chance(0.5)
      ? { OP_ID: "OP_NODE_ADD", node_name, readd: true, primary_ip: node.primary_ip }
      : { OP_ID: "OP_NODE_SET_PARAMS", node_name, offline: false };
    submit(back);
  });
}

/** Removes volumes and files of an instance; an administrator recreates its disks. */
function loseDisks(world: World): void {
  const { dice, nodes, snapshot: now, damaged, able } = world;
  const real = [...now.instances()].filter((one) => !one.forthcoming && one.disks.length > 0);
  if (real.length === 0 || able.length === 0) return;
  const { name = "", disks } = dice.pick(real);
  for (const lost of [name, ...disks]) damaged.add(lost);
  for (const { nodes: placed, logical_id: [group, volume] = [] } of disks.flatMap(
    (disk) => now.disk(disk) ?? [],
  )) {
    for (const node of placed ?? []) {
      const { volumeGroups, fileSystem } = nodes.stateOf(node) ?? {};
      const there = volumeGroups?.[String(group)];
      if (there !== undefined) setVolume(there, String(volume), undefined);
      delete fileSystem?.disks[String(volume)];
    }
  }
  const about = (OP_ID: string) => ({ OP_ID, instance_name: name });
  const again = [about("OP_INSTANCE_SHUTDOWN"), about("OP_INSTANCE_RECREATE_DISKS")];
  void dice
    .pick(able)
    .queue.submit([...again, about("OP_INSTANCE_STARTUP")])
    .catch(() => undefined);
}

/** `gnt-job cancel --kill` of a random running job. */
async function killJob({ able, dice, jobs, counts }: World): Promise<void> {
  const running = [...jobs.rows.values()].filter(({ status }) => status === "running");
  if (able.length === 0 || running.length === 0) return;
  counts.killed++;
  const { queue } = dice.pick(able);
  await queue.cancel(dice.pick(running).id, { kill: true }).catch(() => undefined);
}

/** Calls that may be made to fail: those that change nodes. */
const failing: readonly NodeCallName[] = [
  ...(["blockdev_create", "blockdev_remove", "blockdev_assemble", "blockdev_shutdown"] as const),
  ...(["blockdev_grow", "blockdev_rename", "instance_start", "instance_shutdown"] as const),
  ...(["drbd_attach_net", "drbd_disconnect_net", "instance_os_add"] as const),
  ...(["blockdev_convert", "file_storage_dir_create", "file_storage_dir_rename"] as const),
  ...(["file_storage_dir_remove", "finalize_export", "import_start", "export_start"] as const),
  ...(["upload_file_single", "jobqueue_update", "write_ssconf_files"] as const),
];
