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
  if (existsSync(join(image, "root.img"))) return undefined;
  return `no guest image: apps/noded/test/guest/build-image.sh ${image}`;
}

export interface Guest {
  /** Ports on loopback. */
  readonly daemonPort: number;
  /** Runs a command line in a shell of the guest; gives its output. */
  shell(line: string): Promise<string>;
  /** Serial console. */
  console(): string;
  /** Takes the power away. */
  kill(): void;
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** Boots n1 and n2 with disks in `folder`; they share a network, and the daemon accepts the folder's client. */
export async function bootPair(folder: MachineFolder): Promise<readonly [Guest, Guest]> {
  const payload = join(folder.root, "payload");
  mkdirSync(payload);
  await build({
    entryPoints: [join(import.meta.dirname, "../../src/ganeti-ts-noded.ts")],
    outfile: join(payload, "noded.mjs"),
    ...{ bundle: true, platform: "node", format: "esm", logLevel: "error" },
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  cpSync(join(import.meta.dirname, "run.sh"), join(payload, "run.sh"));
  // The daemon does not start without them.
  cpSync(join(import.meta.dirname, "../../src/programs"), join(payload, "programs"), {
    recursive: true,
  });
  cpSync(join(folder.root, "var/lib/ganeti"), payload, { recursive: true });
  const link = await freePort();
  const first = await boot(folder.root, payload, 1, `listen=127.0.0.1:${link}`);
  const second = await boot(folder.root, payload, 2, `connect=127.0.0.1:${link}`);
  return [first, second];
}

async function boot(root: string, payload: string, number: number, link: string): Promise<Guest> {
  const file = (name: string): string => join(root, `n${number}.${name}`);
  const run = (program: string, ...args: string[]) => execFileSync(program, args);
  for (const name of ["pv1", "pv2"]) run("truncate", "-s", "600M", file(name));
  run("truncate", "-s", "16M", file("payload"));
  run("/sbin/mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-d", payload, file("payload"));
  const [daemonPort, shellPort] = [await freePort(), await freePort()];
  const drive = (path: string, more = "") => ["-drive", `file=${path},format=raw,if=virtio${more}`];
  const forward = (outside: number, inside: number) =>
    `hostfwd=tcp:127.0.0.1:${outside}-:${inside}`;
  const words = [
    ...["-accel", "tcg", "-m", "384", "-smp", "1", "-nographic", "-no-reboot"],
    ...["-kernel", join(image, "vmlinuz"), "-initrd", join(image, "initrd.gz")],
    ...["-append", `console=ttyS0 quiet panic=-1 node=n${number}`],
    ...drive(join(image, "root.img"), ",snapshot=on"),
    ...drive(file("payload"), ",readonly=on"),
    ...[...drive(file("pv1")), ...drive(file("pv2"))],
    ...["-netdev", `socket,id=link,${link}`],
    ...["-device", `virtio-net-pci,netdev=link,mac=52:54:00:00:01:0${number}`],
    ...["-netdev", `user,id=host,${forward(daemonPort, 1811)},${forward(shellPort, 1999)}`],
    ...["-device", `virtio-net-pci,netdev=host,mac=52:54:00:00:02:0${number}`],
  ];
  writeFileSync(file("console"), "");
  const output = openSync(file("console"), "a");
  const qemu: ChildProcess = spawn("/usr/bin/qemu-system-x86_64", words, {
    stdio: ["ignore", output, output],
  });
  // The link is listened at before the other guest connects.
  await new Promise((resolve) => setTimeout(resolve, 500));
  return {
    daemonPort,
    shell: (line) => shell(shellPort, line),
    console: () => readFileSync(file("console"), "utf8"),
    kill: () => qemu.kill("SIGKILL"),
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
