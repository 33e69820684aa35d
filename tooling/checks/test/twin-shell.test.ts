// docs/twin.md, followed on a machine whose PATH begins with programs of a production cluster. Needs a build before it.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../src/repository.js";

let folder: string;
let production: string;
let environment: Record<string, string>;
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "twin-shell-"));
  production = join(folder, "production");
  for (const name of ["production", "npm"]) mkdirSync(join(folder, name));
  for (const name of ["gnt-cluster", "gnt-instance", "gnt-job", "gnt-node", "hbal"]) {
    const text = `#!/bin/sh\necho "$0 $*" >> ${folder}/reached\n`;
    writeFileSync(join(production, name), text, { mode: 0o755 });
  }
  symlinkSync(join(root, "apps/gnt/dist/gnt.js"), join(folder, "npm/gnt"));
  writeFileSync(join(folder, "now.original"), cluster);
  environment = {
    PATH: `${production}:${join(folder, "npm")}:${process.env.PATH}`,
    HOME: folder,
    GANETI_RAPI_URL: "https://127.0.0.1:1",
  };
  // As administrators write it into theirs.
  writeFileSync(
    join(folder, ".bashrc"),
    `PATH=${production}:$PATH; alias hbal=${production}/hbal; export GANETI_RAPI_URL=https://other.example.com\n`,
  );
});
afterAll(() => {
  const pid = join(folder, "twin/rapi.pid");
  if (existsSync(pid)) process.kill(Number(readFileSync(pid, "utf8")));
  rmSync(folder, { recursive: true, maxRetries: 50, retryDelay: 100 });
});

/** Balanced: hbal reads it and has nothing to wait for. */
const cluster = `default|uuid|preferred||

node1.example.com|65536|1024|56320|1000000|999728|16|M|uuid
node2.example.com|65536|1024|56320|1000000|999728|16|N|uuid
node3.example.com|65536|1024|56320|1000000|999728|16|N|uuid

db|8192|136|2|running|Y|node1.example.com|node2.example.com|drbd|
mail|8192|136|2|running|Y|node2.example.com|node3.example.com|drbd|
web|8192|136|2|running|Y|node3.example.com|node1.example.com|drbd|


|128,1,1,1,1,1|128,1,1,1,1,1;32768,8,1048576,16,8,12|drbd,plain|4.0|32.0
`;

/** Lines of the page's blocks. */
const lines = readFileSync(join(root, "docs/twin.md"), "utf8")
  .split("\n")
  .flatMap((line) => /^ {4}(\S.*)$/.exec(line)?.[1] ?? []);

const inShell = (words: readonly string[], commands: readonly string[]) =>
  execFileSync("gnt", words, {
    cwd: folder,
    env: environment,
    input: commands.map((line) => `${line}\n`).join(""),
    stdio: ["pipe", "pipe", "pipe"],
    encoding: "utf8",
  });

test("every command of docs/twin.md acts on the twin alone, whatever PATH and the user's settings name", () => {
  const [creation = "", ...more] = lines;
  expect(creation).toMatch(/^gnt cluster twin .*--shell https:\/\/cluster\.example\.com:5080$/);
  const words = creation
    .split(" ")
    .slice(1)
    .filter((word) => !/^--(insecure|user)/.test(word))
    .map((word) => (word.startsWith("https:") ? "now.original" : word.replace("5090", "0")));
  const commands = more.filter((line) => /^(gnt-|hbal)/.test(line));
  expect(commands).toEqual(expect.arrayContaining(["hbal -L -X", expect.stringMatching(/^gnt-/)]));
  const said = inShell(words, [...commands, "gnt-node list -o name,pinst_cnt --no-headers"]);
  expect(said).toContain("Loaded 3 nodes, 3 instances");
  expect(said).toContain("node3.example.com 0\n");
  expect(existsSync(join(folder, "reached")), said).toBe(false);

  const variables = ["GANETI_TS_DATA", "GANETI_HOSTNAME", "GANETI_ROOTDIR"].map(
    (name) => `$${name}`,
  );
  const told = inShell(
    ["cluster", "twin", "--data-dir=twin", "--shell"],
    [`echo ${variables.join(" ")} "($GANETI_RAPI_URL)"`],
  );
  const twin = join(folder, "twin");
  expect(told).toContain(`\n${twin} node1.example.com ${twin}/vroot/node1.example.com ()\n`);
});
