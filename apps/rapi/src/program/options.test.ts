import { expect, test } from "vitest";
import { readOptions } from "./options.js";
import { usage } from "./usage.js";

test("the directories of allocators are a list with commas, as Ganeti's own options have them", () => {
  expect(readOptions(["--iallocator-search-path=/srv/a:b,/srv/c"])).toMatchObject({
    allocatorPath: ["/srv/a:b", "/srv/c"],
  });
  expect(readOptions(["--iallocator-search-path="])).toMatchObject({ allocatorPath: [] });
  expect(readOptions([])).toMatchObject({ allocatorPath: ["/usr/lib/ganeti/iallocators"] });
});

test.each([
  { args: ["--init=bad name"], says: "--init: 'bad name' is not a valid host name" },
  { args: ["--store=mysql://x"], says: "--store begins with postgres://" },
  { args: ["-p", "99999"], says: "-p: '99999' is no number from 0 to 65535" },
  { args: ["-C", "cert.pem"], says: "-C needs -K" },
  { args: ["-b", "::1", "-i", "lo"], says: "-b and -i exclude each other" },
  { args: ["--nodes=xen"], says: "--nodes: 'xen' is no number from 1 to 1000" },
  { args: ["--nodes=ganeti", "--init=demo"], says: "--init with --nodes=ganeti needs --init-only" },
  { args: ["--nodes=ganeti", "--store=postgres://x"], says: "not with --store" },
  { args: ["--ganeti-root=/srv/node1"], says: "--ganeti-root needs --nodes=ganeti" },
  { args: ["--check"], says: "--check needs --adopt or --hand-back" },
  { args: ["--accept-loss"], says: "--accept-loss needs --store" },
  { args: ["--upgrade"], says: "--upgrade needs --adopt" },
  { args: ["--adopt", "--drop"], says: "--drop needs --hand-back" },
  { args: ["--adopt", "--hand-back"], says: "--adopt goes with none of --hand-back" },
  { args: ["--take-over", "--adopt"], says: "--take-over goes with none of --adopt" },
  { args: ["--replicate=now"], says: "--replicate: 'now' is not 'wait'" },
  { args: ["--nosuch=1"], says: "no such option: --nosuch" },
  { args: ["--ini"], says: "ambiguous option: --ini (--init, --init-only, --init-with?)" },
  { args: ["--debug=1"], says: "--debug option does not take a value" },
  { args: ["-fp"], says: "-p option requires 1 argument" },
  { args: ["--confd-port=1814"], says: "--confd-port and --confd-address need --confd" },
  { args: ["--trusted-proxy=proxy"], says: "--trusted-proxy: 'proxy' is neither an address" },
  {
    args: ["--require-authentication", "--anonymous-reads"],
    says: "--require-authentication and --anonymous-reads exclude each other",
  },
  { args: ["--confd", "--confd-port=x"], says: "--confd-port: 'x' is no number from 0 to 65535" },
  { args: ["--watcher=on"], says: "--watcher: 'on' is no number from 10 to 86400" },
  { args: ["-d", "start"], says: "unexpected argument 'start'" },
])("$args is refused in words that name it", ({ args, says }) => {
  expect(() => readOptions(args)).toThrow(says);
});

test("every accepted option is in the help", () => {
  expect(readOptions(["-h"])).toBe("help");
  for (const name of [
    "-b",
    "-i",
    "-p",
    "-K",
    "-C",
    "-f",
    "-d",
    "--lease",
    "--init-with",
    "--confd",
  ]) {
    expect(usage).toMatch(new RegExp(`^  .*${name}[ =,]`, "m"));
  }
});

test("Ganeti's nodes are chosen in place of simulated ones, with the folders of the node", () => {
  expect(readOptions([])).toMatchObject({ nodes: "simulated", mode: { kind: "serve" } });
  const created = (...args: string[]) => readOptions(["--init=demo", ...args]);
  expect(created()).toMatchObject({ mode: { kind: "init", cluster: { nodeCount: 4 } } });
  expect(created("--nodes=7")).toMatchObject({
    nodes: "simulated",
    mode: { cluster: { nodeCount: 7 } },
  });
  expect(
    readOptions(["--nodes=ganeti", "--ganeti-data=/d", "--ganeti-root=/r", "--ganeti-host=node1"]),
  ).toMatchObject({ nodes: "ganeti", ganetiData: "/d", ganetiRoot: "/r", ganetiHost: "node1" });
});

test("options may be written in all GNU forms", () => {
  const expected = {
    port: 5081,
    debug: true,
    address: "::1",
    mode: { kind: "create", cluster: { name: "demo" } },
  };
  expect(readOptions(["-dfp5081", "-b", "::1", "--init=demo", "--init-o"])).toMatchObject(expected);
  expect(
    readOptions([
      "--deb",
      "-p",
      "1",
      "--port",
      "5081",
      "--add=::1",
      "--init",
      "demo",
      "--init-only",
    ]),
  ).toMatchObject(expected);
});

test("configuration queries are answered on the address of the API unless another one is given", () => {
  expect(readOptions([])).toMatchObject({ confd: undefined });
  expect(readOptions(["--confd", "-b", "::1"])).toMatchObject({
    confd: { address: "::1", port: 1814 },
  });
  expect(
    readOptions(["--confd", "--confd-address=0.0.0.0", "--confd-port=0", "--confd-key=k"]),
  ).toMatchObject({ confd: { address: "0.0.0.0", port: 0 }, confdKeyFile: "k" });
});

test("figures of nodes may be 30 s old, or as old as given, or are queried for each placement", () => {
  const ageOf = (...args: string[]) => {
    const options = readOptions(args);
    return typeof options === "string" ? options : options.figuresAgeMs;
  };
  expect([ageOf(), ageOf("--figures-age=5"), ageOf("--figures-age=0")]).toEqual([30_000, 5000, 0]);
});

test("the watcher has a round every five minutes, every so many seconds, or none", () => {
  const watcherOf = (...args: string[]) => {
    const options = readOptions(args);
    return typeof options === "string" ? options : options.watcherMs;
  };
  expect([watcherOf(), watcherOf("--watcher=60"), watcherOf("--watcher=off")]).toEqual([
    ...[300_000, 60_000, undefined],
  ]);
});
