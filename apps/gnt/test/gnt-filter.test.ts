import type { FilterExpression, Json } from "@ganeti-ts/protocol";
import { parseFilter } from "@ganeti-ts/query";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filterText } from "../src/commands/filter/rule-text.js";
import { program } from "../src/programs/gnt-filter.js";
import { fakeCluster, tableOf } from "./fake-cluster.js";
import { type Circumstances, runLine } from "./run-line.js";

const gntFilter = (line: string, circumstances?: Circumstances) =>
  runLine(program, line, circumstances);

const uuid = "7834e5b1-1fd5-4ef7-9547-337f0a3a8b42";
const creations = ["opcode", ["==", "OP_ID", "OP_INSTANCE_CREATE"]];
const nightly = ["reason", ["=~", "reason", "^nightly"]];
const now = 1_800_000_000_000_000_000n;

/** A cluster with rules, and with jobs in the queue. */
const cluster = (...rules: readonly (readonly [action: unknown, ...predicates: unknown[]])[]) =>
  fakeCluster({
    query: async (kind, names, filter) => {
      if (kind === "filter") {
        const wanted = JSON.stringify(filter);
        const values = rules.map(([action, ...predicates], at) => {
          const id = uuid.slice(0, -1) + at;
          const trail = [
            ["gnt:user", "too slow", now],
            ["luxid", "", now],
          ];
          return [id, 14, 10 - at, predicates, action, trail];
        });
        const found = values.filter(([id]) => filter === null || wanted.includes(String(id)));
        return tableOf([], found as Json[][]);
      }
      expect(names).toEqual(["id", "status", "summary", "ops"]);
      const job = (id: number, ops: Json[]) => [id, "queued", ops.map(() => "X"), ops];
      const reason = [["gnt:user", "nightly backup", 1]];
      return tableOf(names, [
        job(13, [{ OP_ID: "OP_INSTANCE_CREATE" }]),
        job(15, [{ OP_ID: "OP_TEST_DELAY" }, { OP_ID: "OP_INSTANCE_CREATE", reason }]),
        job(16, [{ OP_ID: "OP_TEST_DELAY", reason }]),
      ]);
    },
  });

describe("add and replace", () => {
  test("add and replace send the values of options, and print the UUID", async () => {
    const fake = fakeCluster();
    const line = `--priority 50 --action PAUSE --reason testing --predicates '[${JSON.stringify(creations)}]'`;
    const rule = {
      priority: 50,
      predicates: [creations],
      action: "PAUSE",
      reason: [["gnt:user", "testing", now]],
    };
    expect(await gntFilter(`add ${line}`, { cluster: fake })).toEqual({
      code: 0,
      stdout: "00000000-0000-4000-8000-000000000001\n",
      stderr: "",
    });
    await gntFilter(`replace ${line} ${uuid}`, { cluster: fake });
    expect(fake.done).toEqual([
      ["putFilter", null, rule],
      ["putFilter", uuid, rule],
    ]);
  });

  test("predicates can be given in the language of filters", async () => {
    const fake = fakeCluster();
    await gntFilter(
      `add --jobs 'id > "watermark"' --opcodes 'OP_ID == "OP_INSTANCE_CREATE"' --reasons 'reason =~ m/^nightly/' --action 'RATE_LIMIT  3'`,
      { cluster: fake },
    );
    const [[, , rule] = []] = fake.done;
    expect(rule).toEqual({
      priority: 0,
      action: ["RATE_LIMIT", 3],
      reason: [],
      predicates: [["jobid", [">", "id", "watermark"]], creations, nightly],
    });
  });

  test("invalid filters and invalid JSON are refused", async () => {
    expect((await gntFilter("add --opcodes 'OP_ID =='")).code).toBe(1);
    expect(await gntFilter("add --predicates '[bad'")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("gnt-filter: error: option --predicates: invalid JSON: "),
    });
  });
});

test("info shows all fields of each rule", async () => {
  expect(
    (await gntFilter("info", { cluster: cluster(["PAUSE", creations]) })).stdout,
  ).toBe(`UUID: ${uuid.slice(0, -1)}0
  Watermark: 14
  Priority: 10
  Predicates: [['opcode', ['==', 'OP_ID', 'OP_INSTANCE_CREATE']]]
  Action: PAUSE
  Reason trail: [['gnt:user', 'too slow', ${now}], ['luxid', '', ${now}]]
`);
});

describe("explain", () => {
  test.each([
    ["REJECT", [], "All jobs are refused"],
    [
      "PAUSE",
      [creations],
      'Jobs with an opcode of OP_ID == "OP_INSTANCE_CREATE" wait until the rule is gone',
    ],
    [["RATE_LIMIT", 3], [nightly], "Jobs with a reason of reason =~ m/^nightly/ run 3 at a time"],
    [
      ["RATE_LIMIT", 1],
      [["jobid", [">", "id", "watermark"]]],
      "Jobs with id > 14 run one at a time",
    ],
    [
      "ACCEPT",
      [["reason", null]],
      "Jobs with a reason start as they come, whatever later rules say",
    ],
    ["CONTINUE", [], "All jobs are left to later rules"],
  ])("%j of %j: %s", async (action, predicates, sentence) => {
    const { stdout } = await gntFilter("explain", { cluster: cluster([action, ...predicates]) });
    expect(stdout).toContain(`(priority 10)\n  ${sentence}.\n  Because: too slow\n`);
  });

  test("explain lists rules in the order of their evaluation", async () => {
    const { stdout } = await gntFilter("explain", { cluster: cluster(["PAUSE"], ["REJECT"]) });
    expect(stdout.match(/priority \d+/g)).toEqual(["priority 9", "priority 10"]);
  });

  const word = fc.constantFrom("a", "b", "OP_ID");
  const value = fc.oneof(fc.constantFrom("x", "y z"), fc.nat());
  const { filter } = fc.letrec<{ filter: FilterExpression }>((tie) => ({
    filter: fc.oneof(
      { depthSize: "small" },
      fc.tuple(fc.constantFrom("==", "<", "<=", ">", ">="), word, value),
      fc.tuple(fc.constant("=[]"), word, value),
      fc.tuple(fc.constant("=~"), word, fc.constantFrom("^a", "a/b", "\\d\\.")),
      fc.tuple(fc.constant("?"), word),
      fc.tuple(fc.constant("!"), tie("filter")),
      fc.tuple(fc.constantFrom("&", "|"), tie("filter"), tie("filter")),
    ) as fc.Arbitrary<FilterExpression>,
  }));
  test("explain writes filters in a form that parses again", () => {
    fc.assert(
      fc.property(filter, (expression) => {
        expect(parseFilter(filterText(expression as never))).toEqual(expression);
      }),
    );
  });
});

describe("test", () => {
  const ids = async (line: string) => {
    const rules = cluster(["PAUSE", creations], ["PAUSE", ["jobid", [">", "id", "watermark"]]]);
    const { stdout } = await gntFilter(`test --no-headers --separator=, ${line}`, {
      cluster: rules,
    });
    return stdout.split("\n").flatMap((row) => (row === "" ? [] : [Number(row.split(",")[0])]));
  };

  test("test lists the jobs that all predicates match", async () => {
    const creating = `--opcodes 'OP_ID == "OP_INSTANCE_CREATE"'`;
    expect(await ids(creating)).toEqual([13, 15]);
    expect(await ids(`${creating} --reasons 'reason =~ m/^nightly/'`)).toEqual([15]);
    expect(await ids("--jobs 'id > 14'")).toEqual([15, 16]);
    expect(await ids(`--jobs 'id > "watermark"'`)).toEqual([]);
  });

  test("test lists the jobs that an existing rule matches", async () => {
    expect(await ids(`${uuid.slice(0, -1)}0`)).toEqual([13, 15]);
    expect(await ids(`${uuid.slice(0, -1)}1`)).toEqual([15, 16]);
  });

  test.each([
    ["test", "Either a rule or its predicates must be given and never both"],
    [`test --jobs id ${uuid}`, "Either a rule or its predicates must be given and never both"],
    [`test ${uuid}`, `Filter rule with UUID ${uuid} does not exist`],
    [`test --predicates '[["x"]]'`, "malformed FilterPredicate"],
  ])("%s is refused: %s", async (line, says) => {
    const { code, stderr } = await gntFilter(line, { cluster: cluster() });
    expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
  });
});
