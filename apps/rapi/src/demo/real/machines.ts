/** Virtual machines made of namespaces, each with its own network, files and name; they vanish with their processes. */

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Ended, type Machine, mustRun, thisMachine } from "@ganeti-ts/machines";

/** Home of root, the same on all machines. */
const home = homedir();

/** Folders of the host that each virtual machine has copies of. */
const ownFolders = ["/etc", "/var", "/usr", "/srv", home];

interface MachineName {
  readonly name: string;
  readonly address: string;
}

export interface RoomOptions {
  /** Folder for all files; must not lie in one of the machines' own folders. */
  readonly folder: string;
  readonly machines: readonly MachineName[];
  /** Further names and addresses, for `/etc/hosts`. */
  readonly hosts: readonly MachineName[];
  /** Folder that all machines share, by its path in them. */
  readonly shared: string;
  /** Folder with the built administration programs: `gnt-cluster.js` and the others. */
  readonly commands: string;
  /** Environment variables of all programs. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether a program that enters the machines' namespaces replaces ssh. */
  readonly standInSsh: boolean;
}

/** Machines on a common switch. */
export interface Room {
  readonly machines: ReadonlyMap<string, Machine>;
  /** Process ids whose namespaces are those of the machines, by name. */
  readonly pids: ReadonlyMap<string, number>;
  /** Runs a program on a machine with the terminal, pipes or files of `stdio`. */
  spawn(machine: string, words: readonly string[], stdio: "pipe" | "inherit"): ChildProcess;
}

/** Programs of neighbouring packages for a machine's administrator. */
const programs = ["gnt-cluster", "gnt-node", "gnt-instance", "gnt-job", "gnt-os", "gnt-backup"];

/**
 * Makes a switch and the machines. To be called in network and mount namespaces of its own, where the bridge is made.
 * Everything ends with the processes of these namespaces.
 */
export async function openRoom(options: RoomOptions): Promise<Room> {
  const { folder, machines, env, standInSsh, commands } = options;
  const here = thisMachine("this machine");
  await mustRun(here, "ip link set lo up; ip link add switch0 type bridge; ip link set switch0 up");
  writePrograms(join(folder, "bin"), commands, standInSsh ? join(folder, "pids") : undefined);
  mkdirSync(join(folder, "pids"));
  mkdirSync(join(folder, "shared"));
  const pids = new Map<string, number>();
  for (const machine of machines) pids.set(machine.name, await openMachine(machine, options));
  const wordsFor = (name: string, words: readonly string[]) => [
    ...["-t", String(pids.get(name)), "-n", "-m", "-u", "--"],
    ...words,
  ];
  const variables = { ...process.env, ...env, PATH: `${join(folder, "bin")}:${safePath}` };
  const enter = (name: string, words: readonly string[], stdio: "pipe" | "inherit") =>
    spawn("nsenter", wordsFor(name, words), { stdio, env: variables });
  return {
    pids,
    spawn: enter,
    machines: new Map(
      machines.map(({ name }) => [
        name,
        { name, run: (script, input) => endOf(enter(name, ["sh", "-c", script], "pipe"), input) },
      ]),
    ),
  };
}

const safePath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The process that holds the namespaces of a machine. */
async function openMachine({ name, address }: MachineName, options: RoomOptions): Promise<number> {
  const { folder, shared, hosts, machines } = options;
  const own = join(folder, name);
  const layers = ownFolders.map((path) => {
    const [upper, work] = ["upper", "work"].map((part) => join(own, `${part}${path}`));
    for (const one of [upper, work]) mkdirSync(one as string, { recursive: true });
    return `mount -t overlay overlay -o lowerdir=${path},upperdir=${upper},workdir=${work} ${path}`;
  });
  const names = [...machines, ...hosts].map((host) => `${host.address} ${host.name}\n`).join("");
  writeFileSync(join(own, "hosts"), `127.0.0.1 localhost\n${names}`);
  const script = `set -e
hostname ${name}
${layers.join("\n")}
mount -t tmpfs tmpfs /run
mount -t sysfs sysfs /sys
mkdir -p /run/lock ${shared}
mount --bind ${join(folder, "shared")} ${shared}
cp ${join(own, "hosts")} /etc/hosts
rm -rf /var/lib/ganeti /var/log/ganeti /etc/ganeti /usr/lib/ganeti-ts ${home}/.ssh
ip link set lo up
echo ready
exec sleep infinity`;
  const words = ["--net", "--mount", "--uts", "--", "sh", "-c", script];
  const holder = spawn("unshare", words, { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise<void>((resolve, reject) => {
    holder.stdout.once("data", () => resolve());
    holder.once("error", reject);
    holder.once("exit", (code) => reject(new Error(`machine ${name} was not made: code ${code}`)));
  });
  const pid = holder.pid as number;
  writeFileSync(join(folder, "pids", name), `${pid}\n`);
  const number = Number(address.split(".").at(-1));
  const link = `port${number}`;
  // With a low address, the bridge keeps it when interfaces of instances are added and removed.
  const uplink = `02:00:00:00:00:${number.toString(16).padStart(2, "0")}`;
  const inside = (words: string) => `nsenter -t ${pid} -n -- ${words}`;
  await mustRun(
    thisMachine("this machine"),
    `set -e
ip link add ${link} type veth peer name eth0 address ${uplink} netns ${pid}
ip link set ${link} master switch0 up
${inside("ip link add br0 type bridge")}
${inside("ip link set eth0 master br0 up")}
${inside("ip link set br0 up")}
${inside(`ip addr add ${address}/24 dev br0`)}`,
  );
  return pid;
}

/** Writes the administration programs, and the replacement of ssh if `pids` is given. */
function writePrograms(folder: string, commands: string, pids: string | undefined): void {
  mkdirSync(folder);
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  for (const program of programs) {
    const file = join(commands, `${program}.js`);
    write(program, `exec ${process.execPath} ${file} "$@"`);
  }
  if (pids === undefined) return;
  write(
    "ssh",
    `# Enters a machine of this room in place of ssh.
while [ $# -gt 0 ]; do
  case $1 in
    -*) shift ;;
    *@*) host=\${1#*@}; shift; break ;;
    *) shift ;;
  esac
done
exec nsenter -t "$(cat "${pids}/$host")" -n -m -u -- sh -c "cd ~root; $*"`,
  );
}

function endOf(child: ChildProcess, input: string | Uint8Array = ""): Promise<Ended> {
  const texts = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (part: string) => {
      texts[stream] += part;
    });
  }
  child.stdin?.on("error", () => {}).end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...texts }));
  });
}
