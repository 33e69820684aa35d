// The original program, where it is installed: one message in, what it prints out.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AllocatorMessage } from "@ganeti-ts/protocol";
import { type Switches, wireMessage } from "@ganeti-ts/testkit";

const program = "/usr/lib/ganeti/iallocators/hail";
const version = "3.0.2";

/** Why nothing can be compared with the original here; undefined if all can. */
export const missing: string | undefined = whatIsMissing();

function whatIsMissing(): string | undefined {
  if (!existsSync(program)) return `there is no ${program}`;
  const { stdout } = spawnSync(program, ["-V"], { encoding: "utf8" });
  return stdout.includes(version) ? undefined : `${program} is not of Ganeti ${version}`;
}

/** Its answer, or undefined where it ended of a runtime error (it then prints no answer). */
export function hailAnswer(message: AllocatorMessage, switches: Switches): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "hail-"));
  try {
    const file = join(folder, "message.json");
    writeFileSync(file, JSON.stringify(wireMessage(message)));
    const env = { ...process.env, LC_ALL: "C.UTF-8" };
    const { stdout, stderr } = spawnSync(program, [...optionsOf(switches), file], {
      encoding: "utf8",
      env,
      maxBuffer: 2 ** 28,
    });
    if (stdout === "" && !stderr.includes("is not an element of the map")) throw new Error(stderr);
    return stdout === "" ? undefined : stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const optionsOf = ({ ignoreSoftErrors, capacityChecks }: Switches): string[] => [
  ...(ignoreSoftErrors ? ["--ignore-soft-errors"] : []),
  ...(capacityChecks ? [] : ["--no-capacity-checks"]),
];
