import { anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { noDurations, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { ask } from "../../unit/effects.js";
import { contextAt, type World } from "../../unit/unit.js";
import { TransferLoop, type TransferOutcome } from "./loop.js";

const options = {
  compress: "none",
  magic: "m",
  keyName: null,
  caPem: null,
  ipv6: false,
  connectTimeoutSeconds: 60,
};
const disk = aPlainDisk();

/** A loop with nodes A, B and C, and the events that it has reported. */
async function stage(copySpeed = Infinity) {
  const clock = new VirtualClock();
  const durations = { ...noDurations, copySpeed };
  const hosts = ["A", "B", "C"].map((name) => ({
    name,
    volumeGroups: { xenvg: { "/dev/sda": 10000 } },
    memoryTotalMib: 4096,
    fileSystemMib: 5000,
  }));
  const nodes = await SimulatedNodes.open({ clock, durations, hosts });
  for (const [at, { name }] of hosts.entries()) {
    const ip = `192.0.2.${at + 1}`;
    await nodes.introduce({ uuid: name, name, primaryIp: ip, secondaryIp: ip });
  }
  const lines: string[] = [];
  const world = {
    nodes,
    clock,
    lease: "1:1",
    signal: new AbortController().signal,
    log: (line: string) => void lines.push(line.trim()),
  } as unknown as World;
  const loop = new TransferLoop(contextAt(world, { node: () => undefined } as never));
  const ends = { instance: anInstance(), component: "disk0", options };
  const daemon = (kind: "import" | "export", node: string, start: () => unknown) => ({
    kind,
    node: node as never,
    connectTimeoutSeconds: 60,
    start: start as never,
    onConnected: () => void lines.push(`${kind} connected`),
    onProgress: (text: string) => void lines.push(`${kind} ${text}`),
    onFinished: ({ isOk, message }: TransferOutcome) =>
      void lines.push(`${kind} ${isOk ? "done" : message}`),
  });
  const receiver = daemon("import", "B", () =>
    ask(world, "B", "import_start", { ...ends, end: { kind: "file", path: "web.new/d" } }),
  );
  const sender = (port: number) =>
    daemon("export", "A", () =>
      ask(world, "A", "export_start", {
        ...ends,
        end: { kind: "raw-disk", disk },
        host: "192.0.2.2",
        port,
      }),
    );
  /** Runs the loop and advances the clock until it ends. */
  const run = async () => {
    let isOver = false;
    const done = loop.run().finally(() => {
      isOver = true;
    });
    for (let second = 0; second < 500 && !isOver; second++) await clock.pass(1000);
    await done;
    return lines;
  };
  return { nodes, world, loop, receiver, sender, lines, run };
}

test("a receiver without a connection fails after its timeout and is removed", async () => {
  const { loop, receiver, run, nodes } = await stage();
  loop.add(receiver);
  expect(await run()).toEqual([
    expect.stringMatching(
      /^- WARNING: import 'import-disk0-\d' on B failed: Not connected after 60 seconds$/,
    ),
    "import Not connected after 60 seconds",
  ]);
  expect(nodes.stateOf("B")?.transfers).toEqual({});
});

test("a transfer fails after its node has not answered for a while", async () => {
  const { loop, receiver, run, nodes } = await stage();
  nodes.fail({ kind: "refused", call: "impexp_status", message: "busy" });
  loop.add(receiver);
  const lines = await run();
  expect(
    lines.filter((line) => line.includes("Failed to get daemon status on B: busy")).length,
  ).toBeGreaterThan(5);
  expect(lines.at(-1)).toBe("import Too many errors while updating data");
});

test("a daemon that cannot be started counts as failed", async () => {
  const { loop, receiver, run, nodes } = await stage();
  nodes.fail({ kind: "refused", call: "import_start", message: "no" });
  loop.add(receiver);
  expect(await run()).toEqual([
    "- WARNING: import on B failed: Failed to start import on B: no",
    "import Failed to start import on B: no",
  ]);
});

test("progress is logged at the beginning and then every minute", async () => {
  const { world, loop, receiver, sender, run } = await stage(8);
  const creation = { disk, sizeMib: disk.size, owner: "web.example.com", onPrimary: true };
  await ask(world, "A", "blockdev_create", { ...creation, info: "", exclusiveStorage: false });
  loop.add({ ...receiver, onListening: (port) => loop.add(sender(port)), onProgress: () => {} });
  const lines = await run();
  expect(lines.filter((line) => line.startsWith("export"))).toEqual([
    "export connected",
    "export 0M, 8.0 MiB/s, 0%, ETA 2m 8s",
    "export 480M, 8.0 MiB/s, 46%, ETA 1m 8s",
    "export 960M, 8.0 MiB/s, 93%, ETA 8s",
    "export done",
  ]);
});
