import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const { man, bin } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
) as { man: string[]; bin: Record<string, string> };

test("npm installs the manual page of every program", () => {
  const programs = Object.keys(bin).filter((name) => name !== "gnt");
  expect(man).toEqual(programs.map((name) => `./dist/man/${name}.8`));
});
