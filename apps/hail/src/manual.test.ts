import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hail } from "./hail/program.js";
import { hbal } from "./hbal/program.js";
import { htoolsPage, manualPage } from "./manual.js";
import type { CommandLineProgram } from "./option.js";
import { programs } from "./programs.js";

const pageOf = (program: unknown) =>
  manualPage(program as CommandLineProgram<never>, { summary: "sums up", version: "1.2" });

test.each([hail, hbal])(
  "the manual page of $name has every option and example of its help",
  (program) => {
    const page = pageOf(program);
    expect(page).toMatch(new RegExp(`^\\.TH ${program.name.toUpperCase()} 1 "" "ganeti-ts 1.2"`));
    const plain = page.replaceAll("\\-", "-").replaceAll(/\\f[BIR]/g, "");
    for (const { long, short, description } of [...program.options, ...program.extensions]) {
      expect(plain).toContain(`--${long}`);
      if (short) expect(plain).toMatch(new RegExp(`^-${short}`, "m"));
      expect(plain).toContain(description);
    }
    for (const { words } of program.examples) expect(plain).toContain(`${program.name} ${words}`);
  },
);

test("an optional argument stands in brackets", () => {
  expect(pageOf(hail)).toContain(
    "\\fB\\-p\\fR[\\fIFIELDS\\fR], \\fB\\-\\-print\\-nodes\\fR[=\\fIFIELDS\\fR]",
  );
});

test("the page of htools lists all programs", () => {
  const page = htoolsPage(programs, "1.2");
  for (const name of programs.keys()) expect(page).toContain(`\\fB${name}\\fR(1)`);
});

test("npm installs manual pages of the programs that it puts into PATH", () => {
  const { man, bin } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  ) as { man: string[]; bin: Record<string, string> };
  expect([...man].sort()).toEqual(
    Object.keys(bin)
      .map((name) => `./dist/man/${name}.1`)
      .sort(),
  );
});
