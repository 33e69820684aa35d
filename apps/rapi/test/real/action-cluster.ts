/** Three machines in namespaces with a daemon each, and an instance whose guest answers on its console: for tests of actions. */
import { join } from "node:path";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { expect } from "vitest";
import { guestSystem } from "../../src/demo/real/guest-system.js";
import { requestOf } from "./action.js";
import { testRoom } from "./test-room.js";

/** Address of the bridge br1 of each node. */
export const otherBridge = "198.51.100.1";
export const actionNodes = ["node1.example.com", "node2.example.com", "node3.example.com"] as const;
const [master] = actionNodes;
const shared = "/srv/ganeti/shared-file-storage";
const probe = `${process.execPath} ${join(import.meta.dirname, "action-probe.mjs")}`;

/** A QEMU, as its monitor, its process and the machine's interfaces show it. */
export interface Qemu {
  readonly pid: number;
  readonly words: readonly string[];
  readonly status: string;
  readonly memoryMib: number;
  readonly disks: readonly {
    readonly id: string;
    readonly sizeMib: number;
    readonly isReadOnly: boolean;
  }[];
  /** Files with disks that the process has open. */
  readonly open: readonly string[];
  readonly nics: readonly {
    readonly id: string;
    readonly model: string;
    readonly mac: string;
    readonly tap: string;
    readonly bridge: string;
  }[];
  readonly vcpus: number;
  /** CPUs that the thread of each virtual one may use. */
  readonly allowed: readonly string[];
  readonly bandwidthMib: number;
  /** All taps of the machine. */
  readonly taps: readonly string[];
}

export interface EndedJob {
  readonly status: string;
  readonly result: Json;
  readonly log: readonly string[];
}

/** Devices of an instance by its configuration. */
export interface Configured {
  readonly pnode: string;
  readonly isRunning: boolean;
  readonly disks: readonly {
    readonly uuid: string;
    readonly path: string;
    readonly sizeMib: number;
  }[];
  readonly nics: readonly { readonly uuid: string; readonly mac: string; readonly link: string }[];
}

export interface ActionCluster {
  /** Runs a script of sh that must succeed; gives what it printed. */
  on(machine: string, script: string): Promise<string>;
  /** The job of an opcode about an instance, through RAPI. */
  run(instance: string, opcode: JsonObject): Promise<EndedJob>;
  /** Result of the job. @throws if it fails */
  done(instance: string, opcode: JsonObject): Promise<Json>;
  /** The end of an opcode's job, through LUXI; that of the first failed job among those it has submitted. */
  ended(opcode: JsonObject): Promise<EndedJob>;
  configured(instance: string): Promise<Configured>;
  /** Null if it does not run there. */
  qemu(machine: string, instance: string): Promise<Qemu | null>;
  /** Output of a command line in the guest, once it has booted. */
  guest(machine: string, instance: string, line: string): Promise<string>;
  close(): Promise<void>;
}

/** Machines on one switch. */
export interface ActionRoom {
  on: ActionCluster["on"];
  /** Output of `action-probe.mjs` on a machine. */
  ask<T>(machine: string, wanted: JsonObject): Promise<T>;
  close(): Promise<void>;
}

export async function actionRoom(
  machines: readonly string[],
  clusters: readonly string[],
): Promise<ActionRoom> {
  const addressed = (names: readonly string[], first: number) =>
    names.map((name, at) => ({ name, address: `192.0.2.${first + at}` }));
  const room = await testRoom({
    machines: addressed(machines, 11),
    hosts: addressed(clusters, 21),
    shared,
    env: { GANETI_TS_DATA: "/var/lib/ganeti-ts" },
    commands: join(import.meta.dirname, "../../../gnt/dist"),
    standInSsh: true,
  });
  const on = async (machine: string, script: string): Promise<string> => {
    const { code, stdout, stderr } = await room.run(machine, script);
    expect([script, code, code === 0 ? "" : `${stdout}${stderr}`]).toEqual([script, 0, ""]);
    return stdout;
  };
  return {
    on,
    async ask(machine, wanted) {
      const words = JSON.stringify(wanted).replaceAll("'", "'\\''");
      return JSON.parse(await on(machine, `${probe} '${words}'`));
    },
    close: room.close,
  };
}

export async function actionCluster(): Promise<ActionCluster> {
  const system = guestSystem(undefined, () => {});
  const name = "cluster.example.com";
  const { on, ask, close } = await actionRoom(actionNodes, [name]);
  await makeCluster(on, name, actionNodes);
  const run = (instance: string, opcode: JsonObject): Promise<EndedJob> =>
    ask(master, {
      ask: "job",
      ...requestOf(instance, opcode, { source: system, console: "shell" }),
    });
  const done = async (instance: string, opcode: JsonObject): Promise<Json> => {
    const { status, result, log } = await run(instance, opcode);
    const failure = status === "success" ? [] : [result, ...log];
    expect([opcode, status, failure]).toEqual([opcode, "success", []]);
    return result;
  };
  return {
    ...{ on, run, done, close },
    ended: (opcode) => ask(master, { ask: "opcode", opcode }),
    qemu: (machine, name) => ask(machine, { ask: "qemu", name }),
    guest: (machine, name, line) => ask(machine, { ask: "guest", name, line }),
    async configured(name) {
      const data = (await done(name, { OP_ID: "OP_INSTANCE_QUERY_DATA" })) as Record<string, never>;
      return configuredOf(data[name] as unknown as InstanceData);
    },
  };
}

/** The first node is the master. */
export async function makeCluster(
  on: ActionCluster["on"],
  name: string,
  [master = "", ...others]: readonly string[],
): Promise<void> {
  await on(
    master,
    `gnt-cluster init --enabled-hypervisors=kvm --enabled-disk-templates=sharedfile,file --no-ssh-init --no-etc-hosts \\
 --shared-file-storage-dir=${shared} --file-storage-dir=/srv/ganeti/file-storage --nic-parameters=link=br0 --master-netdev=br0 \\
 -H kvm:kernel_path=,kvm_path=/usr/bin/qemu-system-x86_64,kvm_flag=disabled,vhost_net=false ${name}`,
  );
  for (const node of others) await on(master, `gnt-node add --no-ssh-key-check ${node}`);
  for (const node of [master, ...others]) {
    await on(
      node,
      `ip link add br1 type bridge; ip link set br1 up; ip addr add ${otherBridge}/24 dev br1
truncate -s 1M /srv/image; umask 077; echo opensesame > /etc/ganeti/vnc-password`,
    );
  }
  await on(
    master,
    "echo secret > password; gnt-cluster user add --rights=write --new-password-file=password jane",
  );
}

/** Parts of the result of OP_INSTANCE_QUERY_DATA. */
interface InstanceData {
  readonly pnode: string;
  readonly run_state: string;
  readonly disks: readonly {
    readonly uuid: string;
    readonly logical_id: readonly string[];
    readonly size: number;
  }[];
  readonly nics: readonly (readonly string[])[];
}

function configuredOf({ pnode, run_state, disks, nics }: InstanceData): Configured {
  return {
    pnode,
    isRunning: run_state === "up",
    disks: disks.map(({ uuid, logical_id, size: sizeMib }) => ({
      uuid,
      path: String(logical_id[1]),
      sizeMib,
    })),
    nics: nics.map(([, uuid = "", , mac = "", , link = ""]) => ({ uuid, mac, link })),
  };
}
