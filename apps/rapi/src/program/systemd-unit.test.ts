import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { given } from "./option-words.js";
import { systemdUnit } from "./systemd-unit.js";

const unitOf = (...words: readonly string[]): string =>
  systemdUnit({
    ...{ node: "/usr/bin/node", nodeOptions: ["--max-semi-space-size=32"] },
    program: "/usr/lib/ganeti-rapi.js",
    ...{ dataDirectory: "/var/lib/ganeti-ts", given: given(["--print-unit", ...words]) },
  });
const startOf = (text: string): string | undefined => /^ExecStart=(.*)$/m.exec(text)?.[1];

test("a unit starts the server with the options of Node and of the program, and absolute paths", () => {
  expect(startOf(unitOf("-b", "0.0.0.0", "--confd", "-K", "/etc/ssl/key.pem"))).toBe(
    "/usr/bin/node --max-semi-space-size=32 /usr/lib/ganeti-rapi.js --address=0.0.0.0 --confd --ssl-key=/etc/ssl/key.pem --data-dir=/var/lib/ganeti-ts",
  );
  expect(startOf(unitOf("--luxi=query"))).toContain(`--luxi=${join(process.cwd(), "query")} `);
});

test("words that systemd would change are escaped", () => {
  expect(startOf(unitOf('--store=postgres://a:50%$X@db/my "c\\'))).toContain(
    ' "--store=postgres://a:50%%$$X@db/my \\"c\\\\" ',
  );
});

test("systemd does not restart a server if an administrator has to act first, or another node is the master", () => {
  expect(unitOf()).toMatch(/^RestartPreventExitStatus=11 12$/m);
});

test.each([
  "--init=c.example.com",
  "--adopt",
  "--accept-loss",
  "--hand-back",
  "--no-voting",
  "--backup=file",
])("%s is for one run and is refused", (word) => {
  expect(() => unitOf(word)).toThrow(/^--print-unit and --[a-z-]+ exclude each other$/);
});

const analyze = "/usr/bin/systemd-analyze";
if (!existsSync(analyze)) console.warn(`SKIPPED: ${analyze} of systemd`);

describe.skipIf(!existsSync(analyze))("systemd", () => {
  const verify = (text: string) => {
    const folder = mkdtempSync(join(tmpdir(), "server-unit-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const unit = join(folder, "ganeti-ts-rapi.service");
    writeFileSync(unit, text.replace("/usr/bin/node", process.execPath));
    const { stderr } = spawnSync(analyze, ["verify", "--man=no", unit], { encoding: "utf8" });
    // Other units of this machine are none of ours.
    return stderr.split("\n").filter((line) => line.includes("ganeti-ts-rapi"));
  };

  test("accepts the unit without a remark", () => {
    expect(verify(unitOf("-b", "0.0.0.0", "--store=postgres://db/my cluster%"))).toEqual([]);
  });

  test("would refuse a program that is missing or a setting that it does not know", () => {
    expect(verify(unitOf().replace("/usr/bin/node", "/opt/node"))).not.toEqual([]);
    expect(verify(unitOf().replace("KillMode=mixed", "KillMode=mixd"))).not.toEqual([]);
  });
});
