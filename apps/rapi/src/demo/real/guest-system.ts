/** Root file system of the demonstration's guest: given, or built once from Debian packages and cached. */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { nodeProgramFolder } from "../../program/node-program-folder.js";

const definition = (): string => join(nodeProgramFolder(process.env), "os-definitions/debian");

/** Path of the cached archive of these build scripts. */
function keptArchive(): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(definition()).sort()) {
    hash.update(readFileSync(join(definition(), name)));
  }
  return join(homedir(), `.cache/ganeti-ts/os/small-${hash.digest("hex").slice(0, 12)}.tar`);
}

/** Whether an archive must be built, for which mmdebstrap and a Debian mirror are needed. */
export const mustBeBuilt = (given: string | undefined): boolean =>
  given === undefined && !existsSync(keptArchive());

/** Path of an archive or a directory with the root file system. @throws Error with the output of the build */
export function guestSystem(given: string | undefined, say: (line: string) => void): string {
  if (given !== undefined) return given;
  const archive = keptArchive();
  if (existsSync(archive)) return archive;
  say(`building a small Linux from Debian packages into ${archive} …`);
  mkdirSync(join(archive, ".."), { recursive: true });
  execFileSync(join(definition(), "build"), [archive], {
    cwd: definition(),
    env: { ...process.env, OS_VARIANT: "small" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return archive;
}

/** Time (ms) within which a kernel prints its first line if guests run with /dev/kvm. */
const probeMs = 15_000;

/**
 * Whether a guest boots with /dev/kvm. Opening the device proves nothing, because on some machines every guest hangs then,
 * so the kernel of the guest system is started with it.
 */
export async function kvmWorks(system: string): Promise<boolean> {
  if (!existsSync("/dev/kvm")) return false;
  const folder = mkdtempSync(join(tmpdir(), "kvm-probe-"));
  try {
    const kernel = join(folder, "vmlinuz");
    const path = "./boot/vmlinuz";
    if (statSync(system).isDirectory()) cpSync(join(system, path), kernel, { dereference: true });
    else execFileSync("tar", ["-x", "-f", system, "-C", folder, "--transform=s,.*/,,", path]);
    return await bootsKernel(kernel);
  } catch {
    // A system without such a kernel may still run emulated.
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function bootsKernel(kernel: string): Promise<boolean> {
  const words = [
    ...["-accel", "kvm", "-m", "128", "-display", "none", "-no-reboot", "-serial", "stdio"],
    ...["-kernel", kernel, "-append", "console=ttyS0 panic=-1"],
  ];
  const qemu = spawn("qemu-system-x86_64", words, { stdio: ["ignore", "pipe", "ignore"] });
  return new Promise((resolve) => {
    let output = "";
    const end = (works: boolean) => {
      clearTimeout(timer);
      qemu.kill("SIGKILL");
      resolve(works);
    };
    const timer = setTimeout(() => end(false), probeMs);
    qemu.on("error", () => end(false));
    qemu.on("exit", () => end(output.includes("Linux version")));
    qemu.stdout.setEncoding("utf8").on("data", (part: string) => {
      output += part;
      if (output.includes("Linux version")) end(true);
    });
  });
}
