import { expect, test } from "vitest";
import { doorCode, gzipSize } from "../src/bundle-size.js";
import { manifests } from "../src/repository.js";
import { doorBudgets, importBudgets } from "./size-budgets.js";

const published = manifests("packages").filter(({ manifest }) => manifest.private !== true);
const doors = published.flatMap(({ folder, manifest }) =>
  Object.keys(Object(manifest.exports)).map((door) => ({ folder, door })),
);

test("every door of a published package has a budget, and no other", () => {
  const names = doors.map(({ folder, door }) => folder + door.slice(1));
  expect(Object.keys(doorBudgets).sort()).toEqual(names.sort());
});

test.each(doors)("all of $folder $door fits into its budget", async ({ folder, door }) => {
  const budgetKb = doorBudgets[folder + door.slice(1)] ?? 0;
  const size = await gzipSize(folder, doorCode(door));
  expect(size / 1000, "kB gzip").toBeLessThan(budgetKb);
});

test.each(importBudgets)("$names of $folder costs less than $kb kB", async (budget) => {
  const { folder, names, kb } = budget;
  const code = `export { ${names} } from "./src/index.js";`;
  expect((await gzipSize(folder, code)) / 1000, "kB gzip").toBeLessThan(kb);
});

test("the object z, with all its locales, would exceed the smallest budget", async () => {
  const importing = (what: string) =>
    gzipSize("protocol", `import ${what} from "zod"; export const Id = z.int();`);
  expect((await importing("* as z")) / 1000).toBeLessThan(20);
  expect((await importing("{ z }")) / 1000).toBeGreaterThan(80);
});
