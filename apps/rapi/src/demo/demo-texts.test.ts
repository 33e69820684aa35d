import { expect, test } from "vitest";
import { nextCommands } from "./next-commands.js";
import { wrapped } from "./wrapped.js";

const lines = nextCommands(
  {
    url: "https://127.0.0.1:5080",
    directory: { path: "/tmp/ganeti-ts-AbCdEf" },
    luxi: { root: { hostName: "node1.example.com" } },
  },
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

test("Ganeti's own programs get the two variables that they need, in one command", () => {
  const at = lines.findIndex((line) => line.includes("GANETI_HOSTNAME"));
  expect(lines.slice(at, at + 2)).toEqual([
    "  export GANETI_HOSTNAME=node1.example.com \\",
    "    GANETI_ROOTDIR=$GANETI_TS_DATA/vroot/node1.example.com",
  ]);
});

test("the text announces that the stream of events stays open", () => {
  const at = lines.findIndex((line) => line.endsWith("/events"));
  expect(lines[at - 1]).toContain("prints nothing until one does, Ctrl-C ends it");
});

test("long sentences are broken at spaces, and longer words stay whole", () => {
  expect(wrapped("one two three fourteen-letters", 11, "  ")).toEqual([
    ...["  one two", "  three", "  fourteen-letters"],
  ]);
});
