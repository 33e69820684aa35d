/** A pair of QEMU guests with real LVM and DRBD, each with the daemon inside. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { MachineFolder } from "../machine-folder.js";

const image = process.env.GANETI_TS_GUEST ?? join(homedir(), ".cache/ganeti-ts/guest");

/** Reason why guests cannot run on this machine; undefined if they can. */
export function guestsUnavailable(): string | undefined {
  if (!existsSync("/usr/bin/qemu-system-x86_64")) return "QEMU is not installed";
  if (!existsSync("/sbin/mke2fs")) return "e2fsprogs is not installed";
  const recipe = join(import.meta.dirname, "build-image.sh");
  const built = join(image, "recipe");
  const isSame = existsSync(built) && readFileSync(built).equals(readFileSync(recipe));
  if (isSame && existsSync(join(image, "root.img"))) return undefined;
  return `no guest image of this recipe: apps/noded/test/guest/build-image.sh ${image}`;
}

export interface Guest {
  /** Ports on loopback. */
  readonly daemonPort: number;
  /** Runs a command line in a shell of the guest; gives its output. */
  shell(line: string): Promise<string>;
  /** Text that the serial console has shown. */
  console(): string;
  /** Ends QEMU, like a loss of power. */
  kill(): void;
  /** Boots again with the same disks, after `kill`. */
  boot(): Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** Settings of guests that run systemd; by default guests run the daemon alone. */
export interface UnderSystemd {
  /** Folder of this machine that the guests see under the same name; they cannot change it. */
  readonly shared: string;
}

/**
 * Boots n1 and n2 in one network with disks in `folder`; the daemon accepts the client certificate of the folder. With systemd no
 * daemon is installed yet, and the guests keep their root file systems when they boot again.
 */
export async function bootPair(
  folder: MachineFolder,
  systemd?: UnderSystemd,
): Promise<readonly [Guest, Guest]> {
  const payload = join(folder.root, "payload");
  mkdirSync(payload);
  if (systemd === undefined) await daemonPayload(folder, payload);
  else cpSync(join(import.meta.dirname, "systemd.sh"), join(payload, "systemd.sh"));
  const [one, two] = [await freePort(), await freePort()];
  const place = { root: folder.root, payload, systemd };
  const first = await guest(place, 1, cable(one, two));
  const second = await guest(place, 2, cable(two, one));
  return [first, second];
}

async function daemonPayload(folder: MachineFolder, payload: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, "../../src/ganeti-ts-noded.ts")],
    outfile: join(payload, "noded.mjs"),
    ...{ bundle: true, platform: "node", format: "esm", logLevel: "error" },
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  cpSync(join(import.meta.dirname, "run.sh"), join(payload, "run.sh"));
  // The daemon does not start without these programs.
  cpSync(join(import.meta.dirname, "../../src/programs"), join(payload, "programs"), {
    recursive: true,
  });
  cpSync(join(folder.root, "var/lib/ganeti"), payload, { recursive: true });
}

/** One end of a network link over UDP, so that either guest can stop and return. */
const cable = (local: number, remote: number): string =>
  [
    ...["local.type=inet", "local.host=127.0.0.1", `local.port=${local}`],
    ...["remote.type=inet", "remote.host=127.0.0.1", `remote.port=${remote}`],
  ].join(",");

interface Place {
  readonly root: string;
  readonly payload: string;
  readonly systemd: UnderSystemd | undefined;
}

/** A disk without flushes: the host keeps data that the guest has written even if QEMU is killed. */
const drive = (path: string, more = "", format = "raw") => [
  ...["-drive", `file=${path},format=${format},if=virtio,cache=unsafe${more}`],
];

/** Words for the kernel, the memory and the root file system. */
function systemWords({ root, systemd }: Place, name: string): readonly string[] {
  const start = (memoryMib: number, more: string) => [
    ...["-accel", "tcg", "-m", String(memoryMib), "-smp", "1", "-nographic", "-no-reboot"],
    ...["-kernel", join(image, "vmlinuz"), "-initrd", join(image, "initrd.gz")],
    // On a busy machine the kernel's check of the timer fails, and it panics.
    ...["-append", `console=ttyS0 quiet panic=-1 no_timer_check node=${name}${more}`],
  ];
  const base = join(image, "root.img");
  if (systemd === undefined) return [...start(384, ""), ...drive(base, ",snapshot=on")];
  const own = join(root, `${name}.root`);
  execFileSync("qemu-img", ["create", "-q", "-f", "qcow2", "-b", base, "-F", "raw", own]);
  const { shared } = systemd;
  return [
    // The processor without a name lacks SSE4.1, with which the server's embedded database is compiled.
    ...["-cpu", "max"],
    // A link that udev renames while the machine prepares it would get no address.
    ...start(1024, ` init=/sbin/init net.ifnames=0 shared=${shared}`),
    ...drive(own, "", "qcow2"),
    ...["-virtfs", `local,path=${shared},mount_tag=shared,security_model=none,readonly=on`],
  ];
}

async function guest(place: Place, number: number, link: string): Promise<Guest> {
  const { root, payload } = place;
  const file = (name: string): string => join(root, `n${number}.${name}`);
  const run = (program: string, ...args: string[]) => execFileSync(program, args);
  for (const name of ["pv1", "pv2"]) run("truncate", "-s", "600M", file(name));
  run("truncate", "-s", "16M", file("payload"));
  run("/sbin/mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-d", payload, file("payload"));
  const [daemonPort, shellPort] = [await freePort(), await freePort()];
  const forward = (outside: number, inside: number) =>
    `hostfwd=tcp:127.0.0.1:${outside}-:${inside}`;
  const words = [
    ...systemWords(place, `n${number}`),
    ...drive(file("payload"), ",readonly=on"),
    ...[...drive(file("pv1")), ...drive(file("pv2"))],
    ...["-netdev", `dgram,id=link,${link}`],
    ...["-device", `virtio-net-pci,netdev=link,mac=52:54:00:00:01:0${number}`],
    ...["-netdev", `user,id=host,${forward(daemonPort, 1811)},${forward(shellPort, 1999)}`],
    ...["-device", `virtio-net-pci,netdev=host,mac=52:54:00:00:02:0${number}`],
  ];
  writeFileSync(file("console"), "");
  const output = openSync(file("console"), "a");
  const start = (): ChildProcess =>
    spawn("/usr/bin/qemu-system-x86_64", words, { stdio: ["ignore", output, output] });
  let qemu = start();
  return {
    daemonPort,
    shell: (line) => shell(shellPort, line),
    console: () => readFileSync(file("console"), "utf8"),
    kill: () => qemu.kill("SIGKILL"),
    async boot() {
      // Its ports and the locks of its disks are free only after it has ended.
      if (qemu.exitCode === null && qemu.signalCode === null) {
        await new Promise((resolve) => qemu.once("exit", resolve));
      }
      qemu = start();
    },
  };
}

const shell = (port: number, line: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(`${line}\n`));
    socket.setEncoding("utf8");
    socket.on("data", (part) => {
      output += part;
    });
    socket.once("error", reject);
    socket.once("close", () => resolve(output));
  });
