// Debian's Ganeti packages: unpacked into a folder of their own, never installed on the machine.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { foreignArchive } from "./foreign-archive.js";
import { type Release, releases } from "./release.js";

const complete = ".complete";

/**
 * Folder of the unpacked packages: `GANETI_TS_REFERENCE_PACKAGES`, else
 * `ganeti-ts/reference` in the user's cache folder; those of 3.1 are in the folder beside it whose
 * name ends in `-3.1`. All benches and worktrees of a user share it.
 */
export function packagesFolder(
  { name }: Release = releases["3.0"],
  environment: NodeJS.ProcessEnv = process.env,
): string {
  const caches = environment.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = environment.GANETI_TS_REFERENCE_PACKAGES ?? join(caches, "ganeti-ts", "reference");
  return name === "3.0" ? folder : `${folder}-${name}`;
}

/** File that lists the unpacked packages; it exists once the folder is complete. */
export const packageList = (release: Release) => join(packagesFolder(release), complete);

/** Folders that make up `/usr` and `/etc` of a bench, below its own layer. */
export interface PackageLayers {
  /** Laid over the base, the first one on top. */
  readonly layers: readonly string[];
  /** A whole system: `/`, or the folder of an unpacked one. */
  readonly base: string;
}

/**
 * Folders in which the release is: its unpacked packages, or none but the machine itself if it has the release
 * installed; `undefined` if there is neither.
 */
export function packageLayers(release: Release): PackageLayers | undefined {
  const folder = packagesFolder(release);
  if (existsSync(packageList(release))) {
    return release.suite === undefined
      ? { layers: [folder], base: "/" }
      : { layers: [], base: folder };
  }
  const installed = [`/usr/share/ganeti/${release.name}/ganeti`, "/usr/sbin/ganeti-luxid"];
  return installed.every((path) => existsSync(path)) ? { layers: [], base: "/" } : undefined;
}

/**
 * Downloads Debian's packages of Ganeti, with what they need and the machine lacks, and unpacks them. A release that
 * needs another Debian than the machine's gets a whole root file system of that one.
 *
 * No package is installed: no maintainer script runs, no service starts, no user is made.
 * Does nothing if the folder is complete.
 */
export function unpackPackages(say: (line: string) => void, release: Release): void {
  const folder = packagesFolder(release);
  if (existsSync(join(folder, complete))) return;
  mkdirSync(dirname(folder), { recursive: true });
  const place = mkdtempSync(`${folder}-`);
  try {
    const archives = join(place, "archives");
    mkdirSync(join(archives, "partial"), { recursive: true });
    say(`downloading ${release.packages.join(", ")} and what they need`);
    fetchPackages(release, place, archives);
    const tree = join(place, "tree");
    const debs = readdirSync(archives).filter((name) => name.endsWith(".deb"));
    if (!debs.some((name) => name.startsWith(`ganeti-${release.name}_${release.version}-`))) {
      throw new Error(`apt offers another Ganeti than ${release.version}: ${debs.join(" ")}`);
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

function fetchPackages({ suite, packages }: Release, place: string, archives: string): void {
  const options = suite === undefined ? [] : foreignArchive(suite, place);
  const download = [
    ...["-qq", "-y", "--no-install-recommends", "--download-only", ...options],
    ...["-o", `Dir::Cache::archives=${archives}`, "install", ...packages],
  ];
  if (suite === undefined && runApt(download).status === 0) return;
  mustRunApt(["update", "-qq", "--error-on=any", ...options]);
  mustRunApt(download);
}

function runApt(args: readonly string[]) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C.UTF-8" };
  return spawnSync("apt-get", args, { encoding: "utf8", env });
}

function mustRunApt(args: readonly string[]): void {
  const { status, stderr, error } = runApt(args);
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`apt-get: ${stderr.trim()}`);
}

/** Moves what packages put into /bin, /sbin and /lib below /usr, where these names point to. */
function mergeIntoUsr(tree: string): void {
  for (const name of ["bin", "sbin", "lib", "lib64"]) {
    const old = join(tree, name);
    if (!existsSync(old) || lstatSync(old).isSymbolicLink()) continue;
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
export function benchUnavailable(name: Release["name"] = "3.0"): string | undefined {
  const release = releases[name];
  if (process.platform !== "linux") return "the reference bench needs Linux";
  if (process.getuid?.() !== 0) return "the reference bench needs root";
  if (packageLayers(release) === undefined) {
    const option = name === "3.0" ? "" : ` --version ${name}`;
    return `Debian's Ganeti ${release.version} is not there; unpack it with: pnpm reference install${option}`;
  }
  for (const program of ["/usr/bin/python3", "/usr/bin/nsenter"]) {
    if (!existsSync(program)) return `the reference bench needs ${program}`;
  }
  const tried = spawnSync("unshare", ["--mount", "--net", "--pid", "--fork", "true"]);
  return tried.status === 0 ? undefined : "namespaces cannot be made here";
}
