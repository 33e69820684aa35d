// The unit file of the daemon, checked by systemd's own programs where they are installed.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const unit = join(import.meta.dirname, "../ganeti-ts-noded.service");
const systemUnits = "/usr/lib/systemd/system";
const missing = ["/usr/bin/systemd-analyze", systemUnits].filter((path) => !existsSync(path));
if (missing.length > 0) console.warn(`SKIPPED: ${missing.join(", ")} of systemd`);

describe.skipIf(missing.length > 0)("the unit of the daemon", () => {
  let root = "";
  const installed = () => join(root, "etc/systemd/system/ganeti-ts-noded.service");
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "systemd-unit-"));
    cpSync(systemUnits, join(root, systemUnits), { recursive: true });
    for (const program of ["usr/lib/ganeti-ts/ganeti-ts-noded", "bin/kill"]) {
      const path = join(root, program);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "#!/bin/sh\n");
      chmodSync(path, 0o755);
    }
    mkdirSync(dirname(installed()), { recursive: true });
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const verify = (text: string) => {
    writeFileSync(installed(), text);
    const words = ["verify", "--man=no", `--root=${root}`, "ganeti-ts-noded.service"];
    const { status, stderr } = spawnSync("systemd-analyze", words, { encoding: "utf8" });
    return { status, stderr: stderr.replaceAll(root, "") };
  };

  test("is accepted without warnings", () => {
    expect(verify(readFileSync(unit, "utf8"))).toEqual({ status: 0, stderr: "" });
  });

  test("is refused if its program is missing or a setting is unknown to systemd", () => {
    const text = readFileSync(unit, "utf8");
    expect(verify(text.replace("ExecStart=/usr/lib", "ExecStart=/opt"))).toEqual({
      status: 1,
      stderr: expect.stringContaining("/opt/ganeti-ts/ganeti-ts-noded is not executable"),
    });
    expect(verify(text.replace("KillMode=process", "KillMode=proces")).stderr).toContain(
      "Failed to parse kill mode",
    );
  });
});
