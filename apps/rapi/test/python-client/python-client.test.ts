// Ganeti's own client, as Debian packages it, unchanged.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Json } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aServer, type TestServer } from "../served.js";

const client = "/usr/lib/python3/dist-packages/ganeti/rapi/client.py";
const isThere = existsSync(client);
if (!isThere) console.warn("SKIPPED: python3-ganeti-rapi is not installed");

interface Line {
  readonly call: string;
  readonly pairs: readonly [string, string][];
  readonly result?: Json;
  readonly error?: string;
  readonly job?: string;
  readonly opresult?: Json;
}

/** Number of pairs of method and path of the client of 3.0.2. */
const pairsOfClient = 79;

describe.skipIf(!isThere)("the Python client", () => {
  let server: TestServer;
  let lines: Line[];

  beforeAll(async () => {
    server = await aServer();
    const script = join(import.meta.dirname, "scenario.py");
    const call = [script, "127.0.0.1", String(server.port)];
    const { stdout } = await promisify(execFile)("/usr/bin/python3", call);
    lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  });
  afterAll(() => server.end());

  /** Calls whose opcode is not implemented. */
  const lacks = () =>
    lines
      .filter(({ opresult }) => JSON.stringify(opresult ?? "").includes("OpCodeUnknown"))
      .map(({ call }) => call);

  test("calls every pair of method and path that it knows", () => {
    const pairs = new Set(
      lines.flatMap((line) => line.pairs.map(([method, path]) => `${method} ${path}`)),
    );
    expect(pairs.size).toBe(pairsOfClient);
  });

  test("gets no refusal", () => {
    expect(lines.filter(({ error }) => error !== undefined)).toEqual([]);
  });

  test("cannot recreate a disk whose volumes exist", () => {
    const [line] = lines.filter(({ call }) => call === "RecreateInstanceDisks");
    expect([line?.job, JSON.stringify(line?.opresult)]).toEqual([
      "error",
      expect.stringContaining("already exists in volume group"),
    ]);
  });

  test("sees every other job end well", () => {
    const refused = ["RecreateInstanceDisks"];
    const lacking = lacks();
    if (lacking.length > 0) console.warn(`SKIPPED, nobody carries out: ${lacking.join(", ")}`);
    expect(
      lines
        .filter(
          ({ call, job }) =>
            job !== undefined && job !== "success" && ![...lacking, ...refused].includes(call),
        )
        .map(({ call, job, opresult }) => `${call}: ${job} ${JSON.stringify(opresult)}`),
    ).toEqual([]);
  });

  test("gets the requested values", () => {
    const resultOf = (call: string) => lines.find((line) => line.call === call)?.result;
    expect(resultOf("GetVersion")).toBe(2);
    expect(resultOf("GetClusterTags")).toEqual(["a", "b"]);
    expect(resultOf("GetOperatingSystems")).toContain("noop+default");
    expect(resultOf("GetNodes")).toEqual([1, 2, 3, 4].map((at) => `node${at}.example.com`));
    expect(resultOf("GetNodeRole")).toBe("master");
    expect(resultOf("GetInstances")).toEqual(["inst1.example.com", "inst2.example.com"]);
    expect(resultOf("GetInstanceTags")).toEqual(["x", "y"]);
    expect(resultOf("GetInstance")).toMatchObject({
      name: "inst1.example.com",
      pnode: "node1.example.com",
      snodes: ["node2.example.com"],
      status: "running",
      oper_state: true,
      "disk.sizes": [1024],
      disk_template: "drbd",
    });
    expect(resultOf("WaitForJobChange")).toMatchObject({ job_info: ["success"] });
    expect(resultOf("GetFilter")).toMatchObject({ priority: 5, action: "PAUSE" });
  });
});
