import { expect, test } from "vitest";
import { nextCommands } from "./next-commands.js";
import { wrapped } from "./wrapped.js";

const lines = nextCommands(
  { url: "https://127.0.0.1:5080", directory: { path: "/tmp/ganeti-ts-AbCdEf" } },
  "demo",
  "demo",
);

test("the suggested commands fit into 80 columns", () => {
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test("hbal is suggested for one group, as a cluster of several refuses to be balanced at once", () => {
  expect(lines).toContain(
    "  node apps/hail/dist/hbal.js -m https://demo:demo@127.0.0.1:5080 -G default -p",
  );
});

test("the stream of events is announced as one that stays open", () => {
  const at = lines.findIndex((line) => line.endsWith("/events"));
  expect(lines[at - 1]).toContain("prints nothing until one does, Ctrl-C ends it");
});

test("long sentences are broken at spaces, and longer words stay whole", () => {
  expect(wrapped("one two three fourteen-letters", 11, "  ")).toEqual([
    ...["  one two", "  three", "  fourteen-letters"],
  ]);
});
