import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { QueryTable } from "../src/cluster.js";
import { program as gntInstance } from "../src/programs/gnt-instance.js";
import { program as gntJob } from "../src/programs/gnt-job.js";
import { program as gntNode } from "../src/programs/gnt-node.js";
import { fakeCluster } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

type Cell = QueryTable["data"][number][number];

const answering = (names: readonly string[], rows: readonly (readonly Cell[])[]) =>
  fakeCluster({
    query: async () => ({
      fields: names.map((name) => ({ name, title: name, kind: "text", doc: "" })),
      data: rows,
    }),
  });

const instances = answering(
  ["name", "status"],
  ["running", "ERROR_down", "ADMIN_down", "odd"].map((state, at): Cell[] => [
    [0, `web${at}`],
    [0, state],
  ]),
);

const never = () => () => {};
const terminal = {
  columns: 80,
  rows: 24,
  colour: true,
  reflows: true,
  onResize: never,
  onResume: never,
};

test("on a terminal states of instances are coloured, and titles are bold", async () => {
  const { stdout } = await runLine(gntInstance, "list -o name,status", {
    cluster: instances,
    terminal,
  });
  expect(stdout.split("\n")).toEqual([
    "\x1b[1mname\x1b[0m \x1b[1mstatus\x1b[0m",
    "web0 \x1b[32mrunning\x1b[0m",
    "web1 \x1b[31mERROR_down\x1b[0m",
    "web2 \x1b[2mADMIN_down\x1b[0m",
    ...["web3 odd", ""],
  ]);
});

test.each([
  ["", undefined, false],
  ["--color=always", undefined, true],
  ["--colour always", undefined, true],
  ["--color=never", terminal, false],
  ["", { ...terminal, colour: false }, false],
  ["--color=always", { ...terminal, colour: false }, true],
  ["--separator=:", terminal, true],
  ["--json --color=always", terminal, false],
])("with '%s' colours are there or not, and are all that is different", async (words, at, has) => {
  const list = async (line: string, where: typeof terminal | undefined) =>
    (await runLine(gntInstance, line, { cluster: instances, terminal: where })).stdout;
  const plainLine = `list ${words.replace(/--colou?r[ =]\w+/, "")}`;
  const stdout = await list(`list ${words}`, at);
  expect(stdout.includes("\x1b[")).toBe(has);
  expect(stripVTControlCharacters(stdout)).toBe(await list(plainLine, undefined));
});

test("jobs and nodes have colours of their own, and missing values are marked", async () => {
  const jobs = answering(
    ["id", "status"],
    [
      [
        [0, 1],
        [0, "error"],
      ],
    ],
  );
  const nodes = answering(
    ["name", "role", "mfree"],
    [
      [
        [0, "running"],
        [0, "O"],
        [4, null],
      ],
      [
        [0, "error"],
        [0, "D"],
        [2, null],
      ],
    ],
  );
  const lines = async (...[program, line, cluster]: Parameters<typeof ran>) =>
    (await ran(program, line, cluster)).stdout.split("\n").slice(0, -1);
  const ran = (program: typeof gntJob, line: string, cluster: ReturnType<typeof answering>) =>
    runLine(program, line, { cluster, terminal });
  expect(await lines(gntJob, "list --no-headers", jobs)).toEqual(["1 \x1b[31merror\x1b[0m"]);
  expect(await lines(gntNode, "list --no-headers", nodes)).toEqual([
    "running \x1b[31mO\x1b[0m \x1b[31m*\x1b[0m",
    "error   \x1b[33mD\x1b[0m \x1b[33m?\x1b[0m",
  ]);
});

test.each([
  ["lst", "gnt-instance: there is no command 'lst'. Did you mean 'list'?\n"],
  ["strat", "gnt-instance: there is no command 'strat'. Did you mean 'start'?\n"],
  ["nosuch", ""],
  ["", ""],
])(
  "'%s' is no command: the list of commands, and what may have been meant",
  async (line, words) => {
    const { code, stdout, stderr } = await runLine(gntInstance, line);
    expect({ code, stderr }).toEqual({ code: 1, stderr: words });
    expect(stdout).toMatch(/^Usage: gnt-instance \{command\}/);
  },
);
