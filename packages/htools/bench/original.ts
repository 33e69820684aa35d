// The time the original takes for a message, its start and the reading of the message included.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AllocatorMessage } from "@ganeti-ts/protocol";
import { wireMessage } from "@ganeti-ts/testkit";

const program = "/usr/lib/ganeti/iallocators/hail";
const timeoutMs = 30_000;

/** Milliseconds, or why there are none. */
export function hailMs(message: AllocatorMessage, capacityChecks: boolean): number | string {
  if (!existsSync(program)) return "hail is not installed";
  const folder = mkdtempSync(join(tmpdir(), "hail-"));
  try {
    const file = join(folder, "message.json");
    writeFileSync(file, JSON.stringify(wireMessage(message)));
    const options = capacityChecks ? [file] : ["--no-capacity-checks", file];
    const start = performance.now();
    const { status } = spawnSync(program, options, { timeout: timeoutMs, maxBuffer: 2 ** 28 });
    const spent = performance.now() - start;
    if (spent >= timeoutMs) return `hail takes more than ${timeoutMs / 1000} s`;
    return status === 0 ? spent : "hail fails";
  } finally {
    rmSync(folder, { recursive: true });
  }
}
