/** realStory: the demonstration on real nodes, inside its namespaces. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Machine, mustRun } from "@ganeti-ts/machines";
import { ownFolder } from "../../own-folder.js";
import { type Followed, followConsole } from "./console-reader.js";
import { openRoom, type Room } from "./machines.js";

const clusterName = "cluster.example.com";
const names = ["node1.example.com", "node2.example.com", "node3.example.com"] as const;
const instance = "counter.example.com";
const storage = "/srv/ganeti/shared-file-storage";

/** Prints a number each second: a guest that has stopped or restarted would not continue the count. */
const counting = "count=0; while sleep 1; do count=$((count+1)); echo counted $count; done";

/** Maximum time (ms) in which an emulated guest boots on a busy machine. */
const bootMs = 240_000;

/** Timeout (ms) of a command; those of calls to nodes are up to an hour. */
const commandMs = 240_000;

export interface StoryOptions {
  readonly folder: string;
  /** Archive or directory with the guest's root file system. */
  readonly system: string;
  /** Accelerator of guests: `tcg` emulates. */
  readonly accelerator: "kvm" | "tcg";
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Makes the cluster and demonstrates it. Rejects if a step fails, or the signal is aborted. */
export async function realStory(options: StoryOptions): Promise<void> {
  const { folder, accelerator, say, signal } = options;
  say("three machines in namespaces of their own, on one switch …");
  const room = await openRoom({
    folder,
    machines: names.map((name, at) => ({ name, address: `192.0.2.${11 + at}` })),
    hosts: [{ name: clusterName, address: "192.0.2.10" }],
    shared: storage,
    env: { GANETI_TS_DATA: join(folder, "data") },
    commands: fileURLToPath(new URL("../gnt/dist", ownFolder)),
    standInSsh: true,
  });
  const master = room.machines.get(names[0]) as Machine;
  const run = async (command: string) => {
    signal.throwIfAborted();
    say(`$ ${command}`);
    const text = await Promise.race([
      mustRun(master, command),
      pause(commandMs, undefined, { ref: false }),
    ]);
    if (text === undefined) throw new Error(notEnded(command, join(folder, "data/rapi.log")));
    signal.throwIfAborted();
    for (const line of text.trimEnd().split("\n")) if (line !== "") say(`  ${line}`);
  };
  await makeCluster(run, accelerator);
  await run(
    `gnt-instance add -t sharedfile -s 1g -o debian+small -n ${names[0]} --no-ip-check --no-name-check` +
      ` --net 0:ip=192.0.2.50 -B memory=128,vcpus=1 -O 'source=${options.system},command=${counting}' ${instance}`,
  );
  await countsOn(room, run, options);
  await run("gnt-instance list -o name,pnode,status,oper_ram,disk_template");
}

const notEnded = (command: string, log: string): string => {
  const lines = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n").slice(-20) : [];
  return `no end after ${commandMs / 1000} s: ${command}\nlog of the server:\n${lines.join("\n")}`;
};

async function makeCluster(
  run: (command: string) => Promise<void>,
  accelerator: "kvm" | "tcg",
): Promise<void> {
  const flag = accelerator === "kvm" ? "enabled" : "disabled";
  const vhost = existsSync("/dev/vhost-net");
  await run(
    "gnt-cluster init --enabled-hypervisors=kvm --enabled-disk-templates=sharedfile --no-ssh-init --no-etc-hosts" +
      ` --shared-file-storage-dir=${storage} --nic-parameters=link=br0 --master-netdev=br0` +
      ` -H kvm:kernel_path=,kvm_path=/usr/bin/qemu-system-x86_64,kvm_flag=${flag},serial_console=true,vhost_net=${vhost} ${clusterName}`,
  );
  for (const name of names.slice(1)) await run(`gnt-node add --no-ssh-key-check ${name}`);
  await run("gnt-node list");
}

/** Shows the console, migrates the instance while it counts, and shows that the count continues. */
async function countsOn(
  room: Room,
  run: (command: string) => Promise<void>,
  { say, signal }: StoryOptions,
): Promise<void> {
  say(`the console of ${instance} on ${names[0]}:`);
  const source = followConsole(room, names[0], instance, signal);
  const before = await shown(source, say, (count) => count >= 5);
  source.stop();
  await run(`gnt-instance migrate -f -n ${names[1]} ${instance}`);
  say(`the console of ${instance} on ${names[1]}:`);
  const target = followConsole(room, names[1], instance, signal);
  const after = await shown(target, say, (count) => count > before + 3);
  target.stop();
  say(
    `it counted to ${before} on ${names[0]} and went on to ${after} on ${names[1]}, without a new start`,
  );
}

/** Shows lines up to a sufficiently high number, and returns it. Rejects if the guest starts again from 1. */
async function shown(
  source: Followed,
  say: (line: string) => void,
  isEnough: (count: number) => boolean,
): Promise<number> {
  let last = 0;
  for await (const line of source.lines(bootMs)) {
    say(`  | ${line}`);
    const [, text] = /counted (\d+)/.exec(line) ?? [];
    if (text === undefined) continue;
    const count = Number(text);
    if (count < last) throw new Error(`the guest has started again: ${count} after ${last}`);
    last = count;
    if (isEnough(count)) return count;
  }
  throw new Error("the console has ended");
}
