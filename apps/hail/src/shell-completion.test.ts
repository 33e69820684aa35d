import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { extensions, options } from "./hail/options.js";
import { completionScript } from "./shell-completion.js";
import { completionLines } from "./usage.js";

const all = [...options, ...extensions];
const isInstalled = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

/** Completions that bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const script = `${completionScript("bash", "hail", all)}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hail; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" });
  return stdout.split("\n").filter(Boolean);
}

test.skipIf(!isInstalled("bash"))("bash offers options, choices and files", () => {
  expect(offered("hail", "--mond")).toEqual(["--mond", "--mond-xen", "--mond-data"]);
  expect(offered("hail", "--mond", "=", "y")).toEqual(["yes"]);
  expect(offered("hail", "--mond", "=")).toEqual(["yes", "no"]);
  expect(offered("hail", "-t", "./package.j")).toEqual(["./package.json"]);
  expect(offered("hail", "--text-data", "=", "./package.j")).toEqual(["./package.json"]);
  expect(offered("hail", "--simulate", "")).toEqual([]);
});

test.each(["bash", "zsh", "fish"] as const)(
  "the script for %s is a script, and names every option",
  (shell) => {
    const script = completionScript(shell, "hail", all);
    for (const { long } of all)
      expect(script).toContain(shell === "fish" ? `-l ${long}` : `--${long}`);
    if (!isInstalled(shell)) return;
    expect(spawnSync(shell, ["-n", "-c", script], { encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  },
);

test("--help-completion lists names and the kind of argument", () => {
  expect(completionLines(all.slice(0, 4))).toBe(
    "-p,--print-nodes none\n-S,--save none\n-t,--text-data file\n--simulate string\n",
  );
});
