import type { Json } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { completionScript, shells } from "../src/completion/scripts.js";
import { manualPage } from "../src/manual/manual-page.js";
import { program as gntDebug } from "../src/programs/gnt-debug.js";
import { program as gntInstance } from "../src/programs/gnt-instance.js";
import { program as gntJob } from "../src/programs/gnt-job.js";
import { programs } from "../src/programs/index.js";
import { fakeCluster, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

const named = (...rows: readonly (readonly Json[])[]) => tableOf([], rows);

const cluster = fakeCluster({
  query: async (kind) =>
    kind === "job"
      ? named([9, ["A", "B"]], [10, ["C"]])
      : named(["node1.example.com", "M"], ["node2.example.com", "C"]),
  queryFields: async () =>
    ["id", "status", "summary"].map((name) => ({ name, title: name, kind: "text", doc: "Doc" })),
});

const after = async (line: string, program = gntJob): Promise<string[]> => {
  const { stdout } = await runLine(program, `--complete ${line}`, { cluster });
  return stdout.split("\n").slice(0, -1);
};
const texts = async (line: string, program = gntJob) =>
  (await after(line, program)).map((one) => one.split("\t")[0]);

describe("completion of command lines", () => {
  test.each([
    ["ca", ["cancel"]],
    ["sh", ["show"]],
    ["--", ["--help", "--version"]],
    ["cancel --ki", ["--kill"]],
    ["change-priority --pri", ["--priority="]],
    ["change-priority --priority=", ["--priority=low", "--priority=normal", "--priority=high"]],
    ["change-priority --priority n", ["normal"]],
    ["info ''", ["9", "10"]],
    ["info 1", ["10"]],
    ["info 9 ''", ["9", "10"]],
    ["wait 9 ''", []],
    ["cancel -f --kill 1", ["10"]],
    ["list -o id,s", ["id,status", "id,summary"]],
    ["list -o +su", ["+summary"]],
    ["list -vo id,s", ["id,status", "id,summary"]],
    ["change-priority --prio n", ["normal"]],
    ["list --output=id,st", ["--output=id,status"]],
    ["nosuch ''", []],
    ["info 9 --re", ["--reason="]],
    ["info -- --re", []],
    ["autoarchive 1", ["1d", "1w"]],
    ["list --password-file ''", [":files"]],
  ])("%s: %j", async (line, expected) => {
    expect(await texts(line)).toEqual(expected);
  });

  test("candidates have a short description", async () => {
    expect(await after("delay -n node1", gntDebug)).toEqual(["node1.example.com\tM"]);
    expect(await after("delay -n node2 --nodes=node2", gntDebug)).toEqual([
      "--nodes=node2.example.com\tC",
    ]);
  });

  test.each([
    ["remove-tags web1 ''", ["owner:me", "rack:2"]],
    ["remove-tags web1 owner:me ''", ["rack:2"]],
    ["remove-tags --priority=low web1 ra", ["rack:2"]],
    ["add-tags web1 ''", ["a", "b", "c"]],
    ["add-tags web1 b ''", ["a", "c"]],
  ])("tags that there are, or are in use: %s", async (line, expected) => {
    const tagged = fakeCluster({
      tags: async (kind, name) =>
        kind === "instance" && name === "web1" ? ["rack:2", "owner:me"] : [],
      query: async () => named([["b", "a"]], [["b", "c"]]),
    });
    const { stdout } = await runLine(gntInstance, `--complete ${line}`, { cluster: tagged });
    expect(stdout.split("\n").slice(0, -1)).toEqual(expected);
  });

  test("completion is empty if the cluster does not answer", async () => {
    expect(await runLine(gntJob, "--complete info ''")).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });
});

test.each(shells)("every program completes: %s", (shell) => {
  const script = completionScript(shell, ["gnt", "gnt-job"]);
  expect(script).toContain("gnt-job");
  expect(script).toContain("--complete");
});

describe("of every program", async () => {
  const all = await Promise.all(Object.values(programs).map((load) => load()));
  const commands = all.flatMap(({ program }) =>
    program.commands.map((command) => ({
      program,
      command,
      line: `${program.name} ${command.name}`,
    })),
  );

  test.each(commands)(
    "$line has an example, and options that can be told apart",
    ({ program, command }) => {
      const lines = Object.keys(command.examples);
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).toContain(`${program.name} `);
      const names = command.options.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
      expect(new Set(names).size).toBe(names.length);
      const letters = command.options.flatMap(({ short = [] }) => short);
      expect(new Set(letters).size).toBe(letters.length);
      expect(letters.filter((letter) => letter === "d" || letter === "h")).toEqual([]);
      expect([...names.filter((name) => name === "help")]).toEqual([]);
    },
  );

  test.each(commands)("$line is found, and helps", async ({ program, command }) => {
    const { code, stdout } = await runLine(program, `${command.name} --help`);
    expect(code).toBe(0);
    expect(stdout).toContain(`  ${program.name} ${command.name} ${command.usage}`);
    for (const { name } of command.options) expect(stdout).toContain(`--${name}`);
    expect(typeof (await command.load())).toBe("function");
  });

  test.each(all)("$program.name has no command twice", ({ program }) => {
    const names = program.commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names).toEqual([...new Set(names)]);
  });

  test.each(all)("$program.name has a manual page with every command and option", ({ program }) => {
    const page = manualPage(program, "1.2.3").replaceAll("\\-", "-");
    for (const { name, options } of program.commands) {
      expect(page).toContain(`.SS ${name}\n`);
      for (const option of options) expect(page).toContain(`\\fB--${option.name}\\fR`);
    }
  });
});
