import { expect, test } from "vitest";
import { readOptions } from "./options.js";

test("the directories of allocators are a list with commas, as Ganeti's own options have them", () => {
  expect(readOptions(["--iallocator-search-path=/srv/a:b,/srv/c"])).toMatchObject({
    allocatorPath: ["/srv/a:b", "/srv/c"],
  });
  expect(readOptions(["--iallocator-search-path="])).toMatchObject({ allocatorPath: [] });
  expect(readOptions([])).toMatchObject({ allocatorPath: ["/usr/lib/ganeti/iallocators"] });
});
