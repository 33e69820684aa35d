// Ganeti's program of a name, where it is installed: a command line in, what it prints and writes out.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const version = "3.0.2";

export interface Printed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly written: Readonly<Record<string, string>>;
}

/** Why nothing can be compared with the original here; undefined if all can. */
export function whatIsMissing(name: string): string | undefined {
  const program = `/usr/bin/${name}`;
  if (!existsSync(program)) return `there is no ${program}`;
  const { stdout } = spawnSync(program, ["-V"], { encoding: "utf8" });
  return stdout.includes(version) ? undefined : `${program} is not of Ganeti ${version}`;
}

/** In a folder with these files; undefined where it ended of a runtime error. */
export function runOriginal(
  name: string,
  argv: readonly string[],
  files: Readonly<Record<string, string>>,
): Printed | undefined {
  const cwd = mkdtempSync(join(tmpdir(), `${name}-`));
  try {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, path), text);
    const env = { ...process.env, LC_ALL: "C.UTF-8" };
    const options = { cwd, env, encoding: "utf8", maxBuffer: 2 ** 28, timeout: 300_000 } as const;
    const { status, stdout, stderr } = spawnSync(`/usr/bin/${name}`, argv, options);
    if (status === null || stderr.includes("CallStack (from HasCallStack)")) return undefined;
    const written = readdirSync(cwd)
      .filter((path) => !(path in files))
      .map((path) => [path, readFileSync(join(cwd, path), "utf8")]);
    return { exitCode: status, stdout, stderr, written: Object.fromEntries(written) };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
