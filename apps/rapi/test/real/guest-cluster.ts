/** A cluster on two QEMU guests with real LVM and DRBD 8.4, whose machines and daemons tests can kill. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Snapshot } from "@ganeti-ts/config";
import type { DiskUuid, Json, JsonObject, NodeUuid } from "@ganeti-ts/protocol";
import { clusterOn, type DrivenCluster, drivenNodes } from "./driven-nodes.js";

const image = process.env.GANETI_TS_GUEST ?? join(homedir(), ".cache/ganeti-ts/guest");
const recipe = join(import.meta.dirname, "../../../noded/test/guest/build-image.sh");
const builtOf = join(image, "recipe");
const isBuilt =
  existsSync(builtOf) && readFileSync(builtOf, "utf8") === readFileSync(recipe, "utf8");

/** Reason why guests cannot run on this machine; undefined if they can. */
export const guestsProblem =
  (existsSync("/usr/bin/qemu-system-x86_64") ? undefined : "QEMU is not installed") ??
  (isBuilt ? undefined : "no guest image of this recipe: apps/noded/test/guest/build-image.sh");

/** A fault of the node before or after a run of `program` whose arguments match `words`, a pattern of the shell. */
export interface Trap {
  readonly program: string;
  readonly words: string;
  readonly moment: "before" | "after";
  /** Loss of the machine's power, SIGKILL for its daemon, which is started again after a second, or no run of the program. */
  readonly fault: "power" | "daemon" | "skipped";
}

export interface EndedJob {
  readonly status: string;
  /** Result or error of the only opcode. */
  readonly result: Json;
  readonly log: readonly string[];
}

export interface GuestCluster {
  readonly driven: DrivenCluster;
  now(): Snapshot;
  /** Output of both streams of a command line in the guest. */
  shell(node: string, line: string): Promise<string>;
  /** A job of one opcode; `look` sees its log until it returns true. */
  run(opcode: JsonObject, look?: (log: readonly string[]) => Promise<boolean>): Promise<EndedJob>;
  /** The next matching program has this fault. */
  set(node: string, trap: Trap): Promise<void>;
  /** Whether the program has run. */
  hasSprung(node: string, trap: Trap): Promise<boolean>;
  powerOff(node: string): Promise<void>;
  powerOn(node: string): Promise<void>;
  /** Waits until the daemon accepts calls. */
  ready(node: string): Promise<void>;
  /** Path of the instance's first disk on the node. */
  device(instance: string, node: string): string;
  /** Checksum of the first disk's content on the node as programs or, with `volume`, as its volume has it. */
  sum(instance: string, node: string, of?: "device" | "volume"): Promise<string>;
  /** Rows of node, role and state of the instance's first disk. */
  statuses(instance: string): Promise<unknown>;
  close(): Promise<void>;
}

export const nodeNames = ["node1.example.com", "node2.example.com"] as const;

/** Timeout (ms), far longer than any of the conditions takes. */
const waitMaxMs = 300_000;

/** Checks a condition every half second. @throws Error with the last state if it is not met */
export async function until<T>(look: () => Promise<T>, isDone: (found: T) => boolean): Promise<T> {
  for (const end = Date.now() + waitMaxMs; ; ) {
    const found = await look();
    if (isDone(found)) return found;
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(found)} after ${waitMaxMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

export async function guestCluster(): Promise<GuestCluster> {
  const nodes = await drivenNodes("guest-pair");
  const indexOf = (node: string) => nodes.nodes.findIndex(({ name }) => name === node);
  const shell = async (node: string, line: string): Promise<string> => {
    const { output } = await nodes.command({ node: indexOf(node), shell: `{ ${line}\n} 2>&1` });
    return String(output);
  };
  const driven = await clusterOn(nodes);
  const { queue, snapshot: now } = driven.cluster;
  const ready = async (node: string): Promise<void> => {
    // The port of the daemon, which begins after the group has been made.
    const look = () => shell(node, "cat /proc/net/tcp /proc/net/tcp6");
    await until(look, (ports) => /:0713 [0-9A-F:]+ 0A /.test(ports));
  };
  const disks = diskPaths(now);
  const cluster: GuestCluster = {
    ...{ driven, now, shell, ready },
    ...traps(shell),
    async run(opcode, look) {
      const id = await queue.submit([opcode]);
      const logOf = async () => {
        const [row] = await queue.query([id], ["oplog"]);
        const [entries = []] = (row?.[0] ?? []) as unknown as (readonly unknown[])[][];
        return entries.map((entry) => String(entry.at(-1)));
      };
      const end = queue.ended(id);
      let isOver = false;
      void end.then(() => {
        isOver = true;
      });
      if (look !== undefined) await until(async () => isOver || look(await logOf()), Boolean);
      const { status, results } = await end;
      return { status, result: results[0] as Json, log: await logOf() };
    },
    async powerOff(node) {
      await nodes.command({ node: indexOf(node), power: "off" });
    },
    async powerOn(node) {
      await nodes.command({ node: indexOf(node), power: "on" });
    },
    device: disks.device,
    async sum(instance, node, of = "device") {
      const path = of === "device" ? disks.device(instance, node) : disks.volume(instance);
      const size = disks.firstSizeMib(instance);
      const read = `dd if=${path} bs=1M count=${size} iflag=direct 2> /dev/null`;
      const output = await shell(node, `${read} | md5sum`);
      const found = /^[0-9a-f]{32}/m.exec(output)?.[0];
      if (found === undefined) throw new Error(`no checksum of ${path} on ${node}: ${output}`);
      return found;
    },
    async statuses(instance) {
      const opcode = { OP_ID: "OP_INSTANCE_QUERY_DATA", instances: [instance] };
      const data = (await driven.done(opcode)) as Record<string, { disk_status: unknown }>;
      return data[instance]?.disk_status;
    },
    async close() {
      if (process.env.GANETI_TS_GUEST_CONSOLE) {
        for (const node of nodes.nodes.keys()) {
          console.log((await nodes.command({ node, read: "console" })).output);
        }
      }
      await driven.close();
      await nodes.close();
    },
  };
  for (const node of nodeNames) await ready(node);
  return cluster;
}

const faults: Readonly<Record<Trap["fault"], string>> = {
  power: "echo b > /proc/sysrq-trigger; sleep 60",
  daemon: "kill -9 $(cat /var/run/ganeti/ganeti-ts-noded.pid)",
  skipped: ":",
};

/** Programs that stand before those of the system, for one run. */
const traps = (shell: GuestCluster["shell"]): Pick<GuestCluster, "set" | "hasSprung"> => ({
  async set(node, { program, words, moment, fault }) {
    const folder = "/run/traps";
    const file = `${folder}/${program}`;
    const lines = [
      "#!/bin/sh",
      `PATH=\${PATH#${folder}:}`,
      `case "$*" in *--test*) exec ${program} "$@" ;; ${words}) ;; *) exec ${program} "$@" ;; esac`,
      `rm ${file}`,
      ...(moment === "before"
        ? [faults[fault], fault === "skipped" ? "exit 0" : "exit 1"]
        : [`${program} "$@"`, faults[fault]]),
    ];
    await shell(
      node,
      `mkdir -p ${folder}; cat > ${file} << 'END'\n${lines.join("\n")}\nEND\nchmod 755 ${file}`,
    );
  },
  async hasSprung(node, { program }) {
    return !(await shell(node, "ls /run/traps")).includes(program);
  },
});

/** Places of the first disk of an instance, which is a mirror. */
function diskPaths(now: () => Snapshot) {
  const diskOf = (instance: string) => {
    const found = now().findInstance(instance);
    const [disk] = found === undefined ? [] : now().disksOf(found);
    if (disk === undefined) throw new Error(`${instance} has no disk`);
    return disk;
  };
  const firstSizes = new Map<string, number>();
  return {
    /** Size when the first checksum was made: content does not change when the disk grows. */
    firstSizeMib(instance: string): number {
      const size = firstSizes.get(instance) ?? diskOf(instance).size ?? 0;
      firstSizes.set(instance, size);
      return size;
    },
    device(instance: string, node: string): string {
      const { uuid } = diskOf(instance);
      const found = now().findNode(node)?.uuid as NodeUuid;
      const minor = now()
        .minorsOf(found)
        .find(([, disk]) => disk === (uuid as DiskUuid))?.[0];
      return `/dev/drbd${minor}`;
    },
    volume: (instance: string) =>
      `/dev/${(diskOf(instance).children?.[0]?.logical_id ?? []).join("/")}`,
  };
}
