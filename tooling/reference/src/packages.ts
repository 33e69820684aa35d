// Debian's Ganeti packages: unpacked into a folder of their own, never installed on the machine.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The release that the bench runs. Another one would be another reference. */
export const version = "3.0.2";

const wanted = ["ganeti", "ganeti-3.0", "ganeti-haskell-3.0", "openssh-server", "socat"];
const complete = ".complete";

/**
 * Folder of the unpacked packages: `GANETI_TS_REFERENCE_PACKAGES`, else
 * `ganeti-ts/reference` in the user's cache folder. All benches and worktrees of a user share it.
 */
export function packagesFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const caches = environment.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  return environment.GANETI_TS_REFERENCE_PACKAGES ?? join(caches, "ganeti-ts", "reference");
}

/**
 * Folders to lay over `/usr` and `/etc` so that Ganeti is there: the unpacked packages, or none
 * if Ganeti is installed on the machine; `undefined` if there is neither.
 */
export function packageLayers(folder = packagesFolder()): readonly string[] | undefined {
  if (existsSync(join(folder, complete))) return [folder];
  return existsSync("/usr/share/ganeti/3.0/ganeti") && existsSync("/usr/sbin/ganeti-luxid")
    ? []
    : undefined;
}

/**
 * Downloads Debian's packages of Ganeti, with what they need and the machine lacks, and unpacks them.
 *
 * No package is installed: no maintainer script runs, no service starts, no user is made.
 * Does nothing if `folder` is complete.
 */
export function unpackPackages(say: (line: string) => void, folder = packagesFolder()): void {
  if (existsSync(join(folder, complete))) return;
  mkdirSync(dirname(folder), { recursive: true });
  const place = mkdtempSync(`${folder}-`);
  try {
    const archives = join(place, "archives");
    mkdirSync(join(archives, "partial"), { recursive: true });
    say(`downloading ${wanted.join(", ")} and what they need`);
    if (download(archives) !== undefined) {
      mustRun("apt-get", ["update", "-qq"]);
      const problem = download(archives);
      if (problem !== undefined) throw new Error(problem);
    }
    const tree = join(place, "tree");
    const debs = readdirSync(archives).filter((name) => name.endsWith(".deb"));
    if (!debs.some((name) => name.startsWith(`ganeti-3.0_${version}-`))) {
      throw new Error(`apt offers another Ganeti than ${version}: ${debs.join(" ")}`);
    }
    say(`unpacking ${debs.length} packages into ${folder}`);
    for (const deb of debs) mustRun("dpkg", ["-x", join(archives, deb), tree]);
    mergeIntoUsr(tree);
    writeFileSync(join(tree, complete), `${debs.sort().join("\n")}\n`);
    // Another process may have unpacked them meanwhile, and may use them already.
    if (existsSync(join(folder, complete))) return;
    rmSync(folder, { recursive: true, force: true });
    renameSync(tree, folder);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Fetches the packages; an error text if apt could not. */
function download(archives: string): string | undefined {
  const options = ["-qq", "-y", "--no-install-recommends", "--download-only"];
  const { status, stderr } = spawnSync(
    "apt-get",
    [...options, "-o", `Dir::Cache::archives=${archives}`, "install", ...wanted],
    { encoding: "utf8", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } },
  );
  return status === 0 ? undefined : `apt-get: ${stderr}`;
}

/** Moves what packages put into /bin, /sbin and /lib below /usr, where these names point to. */
function mergeIntoUsr(tree: string): void {
  for (const name of ["bin", "sbin", "lib", "lib64"]) {
    const old = join(tree, name);
    if (!existsSync(old)) continue;
    cpSync(old, join(tree, "usr", name), { recursive: true, verbatimSymlinks: true });
    rmSync(old, { recursive: true });
  }
}

function mustRun(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
}

/** Why no bench can be brought up on this machine; `undefined` if one can. */
export function benchUnavailable(): string | undefined {
  if (process.platform !== "linux") return "the reference bench needs Linux";
  if (process.getuid?.() !== 0) return "the reference bench needs root";
  if (packageLayers() === undefined) {
    return `Debian's Ganeti ${version} is not there; unpack it with: pnpm reference install`;
  }
  for (const program of ["/usr/bin/python3", "/usr/bin/nsenter"]) {
    if (!existsSync(program)) return `the reference bench needs ${program}`;
  }
  const tried = spawnSync("unshare", ["--mount", "--net", "--pid", "--fork", "true"]);
  return tried.status === 0 ? undefined : "namespaces cannot be made here";
}
