// Command lines given to Ganeti's hail and to ours: the same exit code, output and files.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hail } from "../src/hail/program.js";
import { runProgram } from "../src/program.js";
import { systemPorts } from "../src/system-ports.js";
import { wireInstance, wireMessage, wireNode } from "./message.js";

const reference = "/usr/lib/ganeti/iallocators/hail";
const version = "hail (ganeti) version 3.0.2-3\n";
const isThere =
  existsSync(reference) &&
  execFileSync(reference, ["-V"], { encoding: "utf8" }).startsWith(version);

const message = wireMessage({
  nodes: {
    "a.example.com": wireNode({ free_memory: 28000, free_disk: 900000 }),
    "b.example.com": wireNode({ free_memory: 31000, free_disk: 900000 }),
    "c.example.com": wireNode({ drained: true }),
  },
  instances: {
    "db.example.com": wireInstance({
      nodes: ["a.example.com", "b.example.com"],
      disk_template: "drbd",
      tags: ["owner:x"],
    }),
  },
  cluster_tags: ["htools:iextags:owner"],
});
const text = `g|u|preferred|x|
h|v|last_resort|y|n

n1|25600|0|20000|7625000|7620968|16|M|u|1|t|N|0|1|1.0
n2|65536|0|65000|7625000|7620968|16|N|u|1||N|0|1|0.5
n3|?|0|25600|7625000|7620968|16|N|v

i1|128|1024|1|running|Y|n1|n2|drbd|a:1,z:1|1|-|N
i2|128|1024|1|ADMIN_down|N|n3|n2|drbd|a:1|1|2|Y

htools:iextags:a

g|1,1,1,1,1,1|1,1,1,1,1,1;99999,99,99999,9,9,9|ext,drbd|2|0.01
`;
const inputs = { request: JSON.stringify(message), text, folder: null, "state.post-ialloc": null };

const commandLines: readonly (readonly string[])[] = [
  [],
  ["--frobnicate", "request"],
  ["-Z", "-t"],
  ["--v", "request"],
  ["--s"],
  ["--=x", "request"],
  ["--mo", "request"],
  ["-v=1", "--verbose=3", "request"],
  ["--static-kvm-node-memory=1..2", "--mond=maybe", "request"],
  ["--mond=", "request"],
  ["-h", "--mond=x"],
  ["--", "-h"],
  ["request", "request"],
  ["missing"],
  ["folder"],
  ["request/x"],
  ["-t", "missing", "request"],
  ["-t", "folder", "request"],
  ["-S", "missing/state", "request"],
  ["-S", "state", "request"],
  ["-S", "kept", "-p", "request"],
  ["--save=", "--print-n=idx,,fqdn", "request"],
  ["-p+amem,plist,slist,ptags,peermap,spindle_count,hi_spindles,inst_spindles", "request"],
  ["-t", "text", "-p+idx,fqdn,plist,slist,ptags,peermap", "-S", "kept", "request"],
  ["-t", "text", "-phi_spindles,inst_spindles,xmem,cload", "--ignore-dynu", "request"],
  [
    "--simulate=u,1,9g,9g,9",
    "--sim",
    "p,2,1TB,64G,8,4",
    "-pidx,fqdn,plist",
    "-S",
    "kept",
    "request",
  ],
  ["--simulate=p,2", "request"],
  ["--simulate=p,1,1t,64g,8,1,Yes", "request"],
  ["--simulate=x,1,1,1,1", "request"],
  ["--mond", "--mond-", "--simulate=p,1,1t,1t,1", "request"],
  ["--restrict=a.example.com", "--no-cap", "request"],
  ["--restrict=", "--ignore-soft", "request"],
  ["--mond-datx=x", "request"],
];

describe.skipIf(!isThere)(
  "hail and Ganeti's hail (skipped unless ganeti-htools 3.0.2-3 is installed)",
  () => {
    let scratch: string;
    const home = process.cwd();
    beforeEach(() => {
      scratch = mkdtempSync(join(tmpdir(), "hail-reference-"));
    });
    afterEach(() => {
      process.chdir(home);
      rmSync(scratch, { recursive: true });
    });

    /** An empty folder but for the inputs; `null` is a folder. */
    function enter(name: string): void {
      mkdirSync(join(scratch, name));
      process.chdir(join(scratch, name));
      for (const [path, content] of Object.entries(inputs)) {
        if (content === null) mkdirSync(path);
        else writeFileSync(path, content);
      }
    }
    const written = () =>
      Object.fromEntries(
        readdirSync(".")
          .filter((path) => !(path in inputs))
          .map((path) => [path, readFileSync(path, "utf8")]),
      );

    test.each(commandLines)("%s %s %s %s %s", async (...argv) => {
      enter("theirs");
      const env = { ...process.env, LC_ALL: "C.UTF-8" };
      const { status, stdout, stderr } = spawnSync(reference, argv, { encoding: "utf8", env });
      const theirs = { exitCode: status, stdout, stderr, files: written() };

      enter("ours");
      const said = { stdout: "", stderr: "" };
      const exitCode = await runProgram(hail, argv, {
        ...systemPorts,
        stdout: (text) => {
          said.stdout += text;
        },
        stderr: (text) => {
          said.stderr += text;
        },
      });
      // The usage text goes on with what only ours has.
      const stderrInCommon = said.stderr.split("\nBeyond Ganeti's hail:\n", 1).join();
      expect({ exitCode, stdout: said.stdout, stderr: stderrInCommon, files: written() }).toEqual(
        theirs,
      );
    });
  },
);
