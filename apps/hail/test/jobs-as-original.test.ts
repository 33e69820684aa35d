// With -X, hbal and hsqueeze submit what Ganeti's do, in the same order, and say the same about it.
import { randomMessage } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import { hbal } from "../src/hbal/program.js";
import { hsqueeze } from "../src/hsqueeze/program.js";
import type { Program } from "../src/program.js";
import { runIn, type World } from "./fake-ports.js";
import { originalBeside, realmOf } from "./masters.js";
import { aRealm, type Realm, realmInstance, realmNode, startMaster } from "./mock-master.js";
import { whatIsMissing } from "./original.js";

const missing = whatIsMissing("hbal");
if (missing) console.warn(`\n*** SKIPPED: -X is not compared with the original: ${missing} ***\n`);

type Run = (argv: readonly string[], realm: Realm) => Promise<object>;

async function beside(realm: Realm, run: (socket: string) => Promise<object>): Promise<object> {
  const master = await startMaster(realm);
  try {
    const printed = await run(master.socket);
    const asked = master.calls.filter(({ method }) => method === "QueryJobs");
    return { ...printed, submitted: master.submitted(), asked };
  } finally {
    await master.close();
  }
}

const ours =
  <Settings>(program: Program<Settings>, world: World = {}): Run =>
  (argv, realm) =>
    beside(realm, async (socket) => {
      const printed = await runIn(program, world, `-L${socket}`, ...argv);
      const { exitCode, stdout, stderr, written } = printed;
      return { exitCode, stdout, stderr, written };
    });

const original =
  (name: string): Run =>
  (argv, realm) =>
    beside(realm, (socket) => originalBeside(name, [`-L${socket}`, ...argv]));

/** All on the first two nodes: something to do, in few sets of jobs. */
const skewed = aRealm({
  nodes: ["a", "b", "c", "d", "e"].map((name) => realmNode(`${name}.example.com`)),
  instances: [
    realmInstance("mail.example.com", ["a.example.com", "b.example.com"]),
    realmInstance("db.example.com", ["a.example.com", "b.example.com"], { status: "ADMIN_down" }),
    realmInstance("later.example.com", ["b.example.com", "a.example.com"], { forthcoming: true }),
    realmInstance("web.example.com", ["a.example.com"], { disk_template: "rbd" }),
    realmInstance("old.example.com", ["b.example.com"], { disk_template: "ext" }),
  ],
  info: { ...aRealm().info, master: "c.example.com" },
});

const random = (seed: number): Realm => realmOf(randomMessage(seed, "relocate").message.cluster);

const idle = aRealm({
  nodes: ["node1", "node2", "node3", "node4"].map((name) => realmNode(name)),
  instances: [
    realmInstance("i1", ["node3"], { disk_template: "ext" }),
    realmInstance("i2", ["node2"], { disk_template: "ext" }),
  ],
});
const crowded = aRealm({
  nodes: [
    realmNode("node1"),
    realmNode("node2"),
    realmNode("node3", { offline: true, tags: ["htools:standby:auto"] }),
  ],
  instances: [1, 2, 3].map((at) =>
    realmInstance(`i${at}`, ["node2"], { disk_template: "ext", "be/memory": 8000 }),
  ),
});

// Ganeti's programs spend their time waiting: all of them at once.
describe.skipIf(missing).concurrent("jobs as the original's", () => {
  test.each<[string, readonly string[], Realm]>([
    ["a skewed cluster", ["-X", "-l3", "--reason=because", "--priority=high"], skewed],
    ["its first set of jobs", ["-X", "--first-job-group", "--priority=low"], skewed],
    ["its offline node", ["-X", "-E", "-Oa", "-l2"], skewed],
    ["random cluster 3", ["-X", "-l2", "-C"], random(3)],
    ["nothing to do", ["-X"], aRealm({ instances: [realmInstance("x", ["node1"])] })],
    [
      "jobs that fail",
      ["-X", "-l3"],
      { ...skewed, jobs: (id) => (id > 101 ? "error" : "success") },
    ],
    ["jobs that are refused", ["-X"], { ...skewed, refuses: () => "the queue is closed" }],
    ["a master that goes away", ["-X"], { ...skewed, instead: closing }],
  ])("hbal: %s", async (_, argv, realm) => {
    expect(await ours(hbal)(argv, realm)).toEqual(await original("hbal")(argv, realm));
  });

  test.each<[string, readonly string[], Realm]>([
    ["an idle cluster", ["-X"], idle],
    ["a crowded one", ["-X", "-v", "--minimal-resources=100"], crowded],
  ])("hsqueeze: %s", async (_, argv, realm) => {
    expect(await ours(hsqueeze)(argv, realm)).toEqual(await original("hsqueeze")(argv, realm));
  });

  test("an interrupted hbal tells the same", async () => {
    const argv = ["-X", "-l4"];
    const handlers = new Map<string, () => void>();
    const world: World = {
      change: {
        onSignal: (signal, handle) => {
          handlers.set(signal, handle);
          return () => {};
        },
        sleep: async () => handlers.get("SIGINT")?.(),
      },
    };
    // Ganeti's waits half a second after a submission: then it is interrupted, once.
    let kill: (signal: NodeJS.Signals) => void = () => {};
    let left = 1;
    const watched: Realm = {
      ...skewed,
      instead: ({ method }) => {
        if (method === "SubmitManyJobs" && left-- > 0) setTimeout(() => kill("SIGINT"), 150);
        return undefined;
      },
    };
    const theirs = await beside(watched, (socket) =>
      originalBeside("hbal", [`-L${socket}`, ...argv], {}, (killer) => {
        kill = killer;
      }),
    );
    expect(await ours(hbal, world)(argv, skewed)).toEqual(theirs);
    expect(JSON.stringify(theirs)).toContain("Exiting early due to user request");
  });
});

function closing({ method }: { readonly method: string }): string | undefined {
  return method === "QueryJobs" ? "close" : undefined;
}
