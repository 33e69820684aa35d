/** Debian's own programs of Ganeti, unmodified, run against a virtual root. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { packagesFolder } from "@ganeti-ts/reference";
import type { VirtualRoot } from "../../src/program/virtual-root.js";

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Folder of the unpacked packages; "" if Ganeti is installed on the machine. */
const packages = existsSync("/usr/share/ganeti/3.0/gnt-instance") ? "" : packagesFolder();
const pythonFolder = `${packages}/usr/share/ganeti/3.0`;

/** Why these programs cannot be run here. */
export const debianUnavailable: string | undefined = existsSync(join(pythonFolder, "gnt-instance"))
  ? undefined
  : "Debian's Ganeti 3.0.2 is not there; unpack it with: pnpm reference install";

/** Environment for using them on one of our clusters, with comparable output. */
export const debianEnvironment = ({ path, hostName }: VirtualRoot): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  GANETI_ROOTDIR: path,
  GANETI_HOSTNAME: hostName,
  COLUMNS: "200",
  LANG: "C.UTF-8",
  TZ: "UTC",
  PYTHONHASHSEED: "0",
  PYTHONPATH: `${pythonFolder}:${packages}/usr/lib/python3/dist-packages`,
});

/** Runs a Python program of the packages (`gnt-instance`, `burnin`) to its end, without any input. */
export const runPython = (
  root: VirtualRoot,
  program: string,
  args: readonly string[],
): Promise<Outcome> =>
  ended("/usr/bin/python3", [join(pythonFolder, program), ...args], debianEnvironment(root));

/** Runs a Haskell program of the packages (`hbal`) to its end. */
export const runHaskell = (
  root: VirtualRoot,
  program: string,
  args: readonly string[],
): Promise<Outcome> => ended(haskellProgram(program), args, debianEnvironment(root));

/** The package ganeti-htools may be installed while the others are only unpacked. */
export const haskellProgram = (name: string): string =>
  existsSync(`/usr/bin/${name}`) ? `/usr/bin/${name}` : `${packages}/usr/bin/${name}`;

/** Runs Python code that can import `ganeti`. */
export const runCode = (root: VirtualRoot, code: string): Promise<Outcome> =>
  ended("/usr/bin/python3", ["-c", code], debianEnvironment(root));

/** Timeout (ms), longer than any of these programs takes; one that hangs is ended. */
const timeout = 600_000;

/** Runs a program to its end, without any input. */
export function ended(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const stdio = ["ignore", "pipe", "pipe"] as const;
    const child = spawn(program, [...args], { env, cwd: "/", stdio: [...stdio], timeout });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        texts[name] += text;
      });
    }
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, ...texts }));
  });
}
