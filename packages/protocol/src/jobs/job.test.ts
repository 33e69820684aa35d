import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Json,
  JsonError,
  type JsonObject,
  microsOf,
  opcodeSummary,
  parseJson,
  readJob,
  readJobId,
  readOpcode,
  sameJson,
  timestampOf,
  writeJob,
  writeJson,
} from "../index.js";

/** Any JSON value, with whole numbers beyond 2^53 among them. */
const anyJson = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(null, true, false),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }),
    fc.string({ unit: "binary" }),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie("json"), { maxKeys: 4 }),
  ),
})).json;

describe("JSON without loss", () => {
  test("what is written reads back the same", () => {
    let big = 0;
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = writeJson(value);
        if (/\d{17}/.test(text)) big++;
        expect(sameJson(parseJson(text), value)).toBe(true);
      }),
      { examples: [[104222793085083940]] },
    );
    expect(big).toBeGreaterThan(0);
  });

  test("the lossless parser agrees with JSON.parse on values that JSON.parse can represent, and on syntax errors", () => {
    const seen = { read: 0, refused: 0 };
    const text = fc.oneof(
      anyJson.map(writeJson).filter((written) => !/\d{16}/.test(written)),
      fc.json().filter((written) => !/\d{16}/.test(written)),
      fc.string({ unit: fc.constantFrom(...'[]{},:"\\0127-+.eEnulltrue \n\t'), maxLength: 12 }),
    );
    fc.assert(
      fc.property(text, (input) => {
        let expected: unknown;
        try {
          expected = JSON.parse(input);
        } catch {
          seen.refused++;
          expect(() => parseJson(input)).toThrow(JsonError);
          return;
        }
        seen.read++;
        expect(sameJson(parseJson(input), expected as Json)).toBe(true);
      }),
      { numRuns: 2000, examples: [['{"__proto__":1}'], ["1e3"], ["-0"], ["01"], ['"\\ud800"']] },
    );
    expect(seen.read).toBeGreaterThan(100);
    expect(seen.refused).toBeGreaterThan(100);
  });

  test("nesting is bounded, so that no text exhausts the stack", () => {
    expect(() => parseJson("[".repeat(100_000))).toThrow("nested deeper than 256 at offset 256");
  });
});

describe("an opcode from outside", () => {
  test.each<[string, unknown, string]>([
    ["is a dictionary", 5, "Opcode is not a dictionary"],
    [
      "has a priority people may ask for",
      { OP_ID: "OP_X", priority: 5 },
      "Invalid priority 5, allowed are -10, 0, 10",
    ],
    ["has a name", {}, "Opcode parameter 'OP_ID' is invalid: "],
    [
      "depends only on ends of jobs",
      { OP_ID: "OP_X", depends: [[1, ["running"]]] },
      "Opcode parameter 'depends.0.1.0' is invalid: ",
    ],
  ])("%s", (_, value, problem) => {
    const read = readOpcode(value);
    expect(read.ok ? "" : read.problem).toContain(problem);
  });

  test("keeps its own parameters and nanoseconds", () => {
    const text = '{"OP_ID":"OP_X","size":[1,{"a":null}],"reason":[["a","b",1700000000000000001]]}';
    const read = readOpcode(parseJson(text));
    expect(read).toEqual({
      ok: true,
      opcode: {
        OP_ID: "OP_X",
        size: [1, { a: null }],
        reason: [["a", "b", 1700000000000000001n]],
        priority: 0,
        depends: null,
        comment: null,
      },
    });
  });

  test.each<[JsonObject | string, string]>([
    [{ OP_ID: "OP_INSTANCE_CREATE", instance_name: "web1" }, "INSTANCE_CREATE(web1)"],
    [{ OP_ID: "OP_INSTANCE_CREATE" }, "INSTANCE_CREATE"],
    [{ OP_ID: "OP_TEST_DELAY", duration: 5 }, "TEST_DELAY(5.0)"],
    [{ OP_ID: "OP_TEST_DELAY", duration: 0.01 }, "TEST_DELAY(1.0e-2)"],
    [{ OP_ID: "OP_TEST_DELAY", duration: 0.25 }, "TEST_DELAY(0.25)"],
    [{ OP_ID: "OP_TEST_DELAY", duration: 12_500_000 }, "TEST_DELAY(1.25e7)"],
    [{ OP_ID: "OP_TEST_ALLOCATOR", iallocator: null }, "TEST_ALLOCATOR(None)"],
    [{ OP_ID: "OP_TAGS_GET", kind: "instance", name: "web1" }, "TAGS_GET(TagKindInstance)"],
    [{ OP_ID: "OP_TAGS_GET", kind: "node", name: "node1" }, "TAGS_GET(TagKindNode)"],
    [{ OP_ID: "OP_TAGS_GET", kind: "nodegroup", name: "rack1" }, "TAGS_GET(TagKindGroup)"],
    [{ OP_ID: "OP_TAGS_GET", kind: "network", name: "net1" }, "TAGS_GET(TagKindNetwork)"],
    [{ OP_ID: "OP_TAGS_GET", kind: "cluster" }, "TAGS_GET(TagKindCluster)"],
    [{ OP_ID: "OP_STRANGE", name: "x" }, "STRANGE"],
    ["no opcode", "INVALID_OP"],
  ])("%j is shown as %s", (input, summary) => expect(opcodeSummary(input)).toBe(summary));
});

test.each([
  [12, 12],
  ["12", 12],
  [1.5, undefined],
  [-1, undefined],
  ["x", undefined],
  ["", undefined],
])("%j as a job id is %j", (value, id) => expect(readJobId(value)).toBe(id));

test("a timestamp holds microseconds exactly, also before the epoch", () => {
  fc.assert(fc.property(fc.maxSafeInteger(), (micros) => microsOf(timestampOf(micros)) === micros));
});

test("a job file of Ganeti reads and writes back the same, nanoseconds in full", () => {
  const text = `{"id": 12, "received_timestamp": [1700000000, 12], "start_timestamp": [1700000000, 900],
 "end_timestamp": [1700000003, 5], "livelock": "w-3:88", "process_id": "4711",
 "ops": [{"input": {"OP_ID": "OP_INSTANCE_STARTUP", "instance_name": "web1.ex.com", "force": false,
                    "priority": 0, "depends": null, "comment": null,
                    "reason": [["gnt:client:gnt-instance", "start", 1700000000000000001]]},
          "status": "success", "result": null,
          "log": [[1, [1700000001, 7], "message", " - INFO: booting"]],
          "start_timestamp": [1700000000, 900], "exec_timestamp": [1700000000, 2100],
          "end_timestamp": [1700000003, 4]}]}`;
  const job = readJob(text);
  expect(job).toMatchObject({ id: 12, processId: 4711, opcodes: [{ priority: 0 }] });
  expect(writeJob(job)).toContain('"start",1700000000000000001]');
  expect(readJob(writeJob(job))).toEqual(job);
});
