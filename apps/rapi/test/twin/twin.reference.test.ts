// Twins of Ganeti's own cluster: allocations, hbal and hspace answer as for the original at one moment.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cluster } from "@ganeti-ts/cluster";
import type { JsonObject } from "@ganeti-ts/protocol";
import { benchUnavailable, type ReferenceBench, withReferenceCluster } from "@ganeti-ts/reference";
import { readOrigin } from "@ganeti-ts/twin";
import { describe, expect, test } from "vitest";
import { createLog } from "../../src/log.js";
import { listenForLuxi } from "../../src/program/luxi-listener.js";
import { ended, haskellProgram, runHaskell } from "../luxi/debian.js";
import { withTwin } from "./twin-in-memory.js";

const hail = "/usr/lib/ganeti/iallocators/hail";
const problem =
  benchUnavailable() ?? (existsSync(hail) ? undefined : "ganeti-htools is not installed");
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

/** Resources that a twin is made from. */
const resources = ["info", "groups", "nodes", "instances", "networks", "filters"];

/** The answers of the original's remote API at one moment, as files for Ganeti's programs and as a server. */
async function momentOf(bench: ReferenceBench, folder: string) {
  const bodies = new Map<string, string>();
  for (const name of resources) {
    const { status, text: body } = await bench.request("GET", `/2/${name}?bulk=1`);
    if (status !== 200) throw new Error(`${name}: ${status}`);
    bodies.set(`/2/${name}`, body);
    writeFileSync(join(folder, `${name}.json`), body);
  }
  const server = createServer(({ url = "" }, response) => {
    const body = bodies.get(url.split("?")[0] ?? "");
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

const original = (program: string, args: readonly string[]) =>
  ended(program === "hail" ? hail : haskellProgram(program), args, {
    PATH: process.env.PATH,
    TZ: "UTC",
    LANG: "C.UTF-8",
  });

const wanted = {
  disk_template: "diskless",
  disks: [],
  nics: [{}],
  memory: 512,
  vcpus: 1,
  os: "noop+default",
  hypervisor: "fake",
};

/** Requests to an allocator. Others name instances, whose order in messages is another one than in text files. */
const requests: readonly JsonObject[] = [
  { mode: "allocate", name: "inst20.example.com", ...wanted },
  {
    ...{ mode: "allocate", name: "inst21.example.com" },
    ...{ ...wanted, disk_template: "file", disks: [{ size: 64, mode: "rw" }] },
  },
  {
    ...{ mode: "allocate", name: "inst22.example.com" },
    ...{ ...wanted, disk_template: "drbd", disks: [{ size: 1024, mode: "rw" }] },
  },
];

/** hail's answer in the twin, and that of Debian's hail about the original: the same request with its figures. */
async function answers({ queue }: Cluster, request: JsonObject, folder: string) {
  const ask = async (direction: "in" | "out"): Promise<string> => {
    const opcode = { OP_ID: "OP_TEST_ALLOCATOR", direction, iallocator: "hail", ...request };
    const { status, results } = await queue.ended(await queue.submit([opcode as JsonObject]));
    if (status !== "success") throw new Error(JSON.stringify(results));
    return String(results[0]);
  };
  const file = join(folder, "message.json");
  writeFileSync(file, await ask("in"));
  const debian = async (...args: string[]) =>
    JSON.parse((await original("hail", [...args, file])).stdout);
  const figures = ["-t", join(folder, "now.original")];
  return {
    ofTwin: JSON.parse(await ask("out")),
    ofOriginal: await debian(...figures),
    // The bench has instances that nothing but their node can run: hail refuses all others because of them.
    placedInTwin: await debian("--no-capacity-checks"),
    placed: await debian("--no-capacity-checks", ...figures),
  };
}

/** Messages have groups by UUID, text files by name; refusals name one after the other. */
const inOrder = ({ info, ...answer }: { readonly info: string }) => {
  const prefix = /^Request \w+: /.exec(info)?.[0] ?? "";
  return {
    ...answer,
    prefix,
    reasons: info
      .slice(prefix.length)
      .split(/, (?=Group )/)
      .sort(),
  };
};

describe.skipIf(problem !== undefined)("Twins of a cluster of Ganeti", () => {
  test("from each source hbal, hspace and allocations equal those of the original", () =>
    withReferenceCluster({ storage: true }, async (bench) => {
      const folder = mkdtempSync(join(tmpdir(), "twin-of-ganeti-"));
      // A reservation, which the remote API of Ganeti 3.0 shows as an instance that is down.
      await bench.exec("gnt-instance", ["remove", "-f", "inst6.example.com"]);
      const moment = await momentOf(bench, folder);
      const ofFiles = ["-m", `file://${folder}`];
      try {
        await original("hbal", [...ofFiles, "-S", join(folder, "now"), "-G", "default"]);
        const text = join(folder, "now.original");
        const sources: readonly (readonly [string, string | undefined])[] = [
          [moment.url, undefined],
          [text, undefined],
          [bench.configFile, moment.url],
          [bench.configFile, text],
        ];
        for (const [at, [source, figures]] of sources.entries()) {
          const access = { verifyCertificate: true };
          const origin = await readOrigin({ source, figures, access });
          expect(origin.remarks).toEqual([]);
          const own = join(folder, String(at));
          mkdirSync(own);
          await withTwin(origin, async (cluster) => {
            const log = createLog("silent");
            const places = { luxiPath: undefined, luxiGroup: undefined };
            const luxi = await listenForLuxi(places, own, { cluster, log });
            const ofTwin = (program: string, args: readonly string[]) =>
              runHaskell(luxi.root, program, ["-L", ...args]);
            try {
              await ofTwin("hbal", ["-S", join(own, "now"), "-G", "default"]);
              expect(readFileSync(join(own, "now.original"), "utf8")).toBe(
                readFileSync(text, "utf8"),
              );
              for (const [program, args] of [
                ["hbal", ["-G", "default", "-p", "--print-instances", "-C"]],
                ["hspace", ["--machine-readable=yes", "--standard-alloc=0,256,1"]],
              ] as const) {
                const answer = await original(program, [...ofFiles, ...args]);
                expect(answer.stdout).toMatch(/Loaded|HTS_OK=1/);
                expect(await ofTwin(program, args)).toEqual(answer);
              }
              for (const request of requests) {
                const said = await answers(cluster, request, folder);
                expect(inOrder(said.ofTwin)).toEqual(inOrder(said.ofOriginal));
                // Scores differ: a message has the space of its own disk template only.
                const { success, result } = said.placed;
                expect(said.placedInTwin).toMatchObject({ success, result });
                expect(success).toBe(true);
              }
            } finally {
              await luxi.close(1000);
            }
          });
        }
      } finally {
        moment.close();
        rmSync(folder, { recursive: true });
      }
    }));
});
