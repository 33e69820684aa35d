// The daemon bundled as one file, with the programs that it starts.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { manualPage } from "../src/daemon/manual.js";

const folder = mkdtempSync(join(realpathSync(tmpdir()), "noded-single-"));
const root = mkdtempSync(join(tmpdir(), "noded-root-"));
beforeAll(() => {
  execFileSync(process.execPath, ["build.js", folder], { cwd: join(import.meta.dirname, "..") });
});
afterAll(() => {
  for (const one of [folder, root]) rmSync(one, { recursive: true });
});

const start = (...words: string[]) =>
  spawnSync(process.execPath, [join(folder, "ganeti-ts-noded.js"), ...words], { encoding: "utf8" });

test("the single file reports its version from any folder", () => {
  expect(start("--version").stdout).toMatch(/^ganeti-ts-noded \(ganeti-ts\) \d/);
});

test("the folder of the single file has the unit, the programs and the OS definition", () => {
  for (const name of [
    ...["ganeti-ts-noded.service", "confd.js", "import-export.js", "ssh-update.js"],
    ...["programs/kvm-ifup", "programs/kvm-console-wrapper", "os-definitions/debian/create"],
  ]) {
    expect(existsSync(join(folder, name)), name).toBe(true);
  }
});

test("a single file whose scripts are not executable refuses to start and names the command that repairs them", () => {
  const lost = ["os-definitions/debian/create", "programs/kvm-ifup"].map((name) =>
    join(folder, name),
  );
  for (const path of lost) chmodSync(path, 0o644);
  const { status, stderr } = start(`--root=${root}`);
  for (const path of lost) chmodSync(path, 0o755);
  expect(status).toBe(1);
  expect(stderr).toContain(
    "ganeti-ts-noded: copied without the modes of its programs: chmod 755 /",
  );
  for (const path of lost) expect(stderr).toContain(` ${path}`);
});

test("a single file without its programs refuses to start and names them", () => {
  rmSync(join(folder, "programs"), { recursive: true });
  const { status, stderr } = start(`--root=${root}`);
  expect(status).toBe(1);
  expect(stderr).toContain("copied without its programs: there is no");
  expect(stderr).toContain("programs/kvm-ifup");
});

test("the manual page has every option and the files of the daemon", () => {
  const page = manualPage("1.2.3");
  for (const part of ["monitoring\\-port", "file\\-storage\\-paths", "SEE ALSO", "1.2.3"]) {
    expect(page).toContain(part);
  }
});
