import { expect, test } from "vitest";
import { readOptions, usage } from "./options.js";

test("the directories of allocators are a list with commas, as Ganeti's own options have them", () => {
  expect(readOptions(["--iallocator-search-path=/srv/a:b,/srv/c"])).toMatchObject({
    allocatorPath: ["/srv/a:b", "/srv/c"],
  });
  expect(readOptions(["--iallocator-search-path="])).toMatchObject({ allocatorPath: [] });
  expect(readOptions([])).toMatchObject({ allocatorPath: ["/usr/lib/ganeti/iallocators"] });
});

test.each([
  { args: ["--init=bad name"], says: "--init: 'bad name' is no name that a host can have" },
  { args: ["--store=mysql://x"], says: "--store begins with postgres://" },
  { args: ["-p", "99999"], says: "-p: '99999' is no number from 0 to 65535" },
  { args: ["-C", "cert.pem"], says: "-C needs -K" },
  { args: ["-b", "::1", "-i", "lo"], says: "-b and -i exclude each other" },
])("$args is refused in words that name it", ({ args, says }) => {
  expect(() => readOptions(args)).toThrow(says);
});

test("every option that is taken is in the help", () => {
  expect(readOptions(["-h"])).toBe("help");
  for (const name of ["-b", "-i", "-p", "-K", "-C", "-f", "-d", "--lease", "--init-with"]) {
    expect(usage).toMatch(new RegExp(`^  .*${name}[ =,]`, "m"));
  }
});
