// Number of calls that the server half answers over a Unix socket each second. It runs in a process of its
// own, as masters do: in one process with its clients nothing would ever switch between the two.
// `--record COMMIT` writes baseline.json.
//
// | series | one round trip is |
// |---|---|
// | names | QueryConfigValues of one name by the typed client, one after the other |
// | names, raw | the same request as bytes on a bare socket: the server half alone |
// | names, 8 clients | the same of eight typed clients at once |
// | instances, 20 | QueryInstances with four fields of 20 instances |
// | instances, 2 000 | the same of 2 000 |
// | submit, 20 | SubmitManyJobs of 20 delays, each opcode checked |
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createLuxiClient,
  createLuxiServer,
  type LuxiClient,
  type LuxiHandler,
} from "@ganeti-ts/luxi";
import { JobId } from "@ganeti-ts/protocol";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";

helpIfAsked("bench/round-trips.bench.ts");

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => [`web${index}.example.com`, 512, "running", ["a"]]);
const rows = new Map([20, 2_000].map((count) => [String(count), rowsOf(count)]));

const handler = {
  queryConfigValues: ({ names }) => names,
  queryInstances: ({ names }) => rows.get(names[0] ?? "") ?? [],
  submitManyJobs: ({ jobs }) => jobs.map((_, index) => [true, JobId.parse(index + 1)] as const),
} satisfies Partial<LuxiHandler> as unknown as LuxiHandler;

const servingAt = process.argv.indexOf("--serve");
if (servingAt >= 0) {
  const server = createLuxiServer({ handler });
  await server.listen({ path: process.argv[servingAt + 1] as string });
  process.send?.("listening");
  // Until the process that measures is done with it.
  await new Promise((resolve) => {
    process.once("disconnect", resolve);
  });
  await server.close();
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), "luxi-bench-"));
const path = join(folder, "s");
const serving = fork(process.argv[1] as string, ["--serve", path]);
await new Promise((resolve) => {
  serving.once("message", resolve);
});

/** The best of five rounds. */
async function perSecond(count: number, round: () => Promise<number>): Promise<number> {
  const rates = [];
  for (let turn = 0; turn < 5; turn++) {
    const start = performance.now();
    const done = await round();
    // The work happened.
    if (done !== count) throw new Error(`${done} of ${count} round trips`);
    rates.push((count / (performance.now() - start)) * 1000);
  }
  return Number(Math.max(...rates).toPrecision(3));
}

async function inTurn(count: number, call: () => Promise<boolean>): Promise<number> {
  let done = 0;
  for (let turn = 0; turn < count; turn++) if (await call()) done++;
  return done;
}

const names = (client: LuxiClient) => async () => {
  const [name] = await client.queryConfigValues({ names: ["cluster_name"] });
  return name === "cluster_name";
};
const instances = (client: LuxiClient, count: number) => async () => {
  const fields = ["name", "be/memory", "status", "tags"];
  const list = await client.queryInstances({ names: [String(count)], fields, lock: false });
  return list.length === count;
};
const delay = {
  OP_ID: "OP_TEST_DELAY",
  duration: 1,
  on_master: true,
  on_nodes: [],
  repeat: 0,
  priority: 0,
  depends: null,
  comment: null,
  reason: [["gnt:client:bench", "", 1n]],
} as const;
const submits = (client: LuxiClient) => async () =>
  (await client.submitManyJobs({ jobs: Array(20).fill([delay]) })).length === 20;

/** Requests as bytes; each answer is awaited before the next one is sent. */
function raw(count: number): Promise<number> {
  const request =
    '{"method": "QueryConfigValues", "args": [["cluster_name"]], "version": 3000000}\n\x03';
  return new Promise((resolve) => {
    let done = 0;
    const socket = createConnection({ path }, () => socket.write(request));
    socket.on("data", (chunk) => {
      if (chunk.at(-1) !== 3 || !chunk.includes('"cluster_name"')) return;
      if (++done < count) socket.write(request);
      else {
        socket.destroy();
        resolve(done);
      }
    });
  });
}

const clients = Array.from({ length: 8 }, () => createLuxiClient({ path }));
const [client] = clients as [LuxiClient];
const perSecondOf = {
  names: await perSecond(5_000, () => inTurn(5_000, names(client))),
  "names, raw": await perSecond(10_000, () => raw(10_000)),
  "names, 8 clients": await perSecond(8_000, async () => {
    const done = await Promise.all(clients.map((one) => inTurn(1_000, names(one))));
    return done.reduce((a, b) => a + b);
  }),
  "instances, 20": await perSecond(2_000, () => inTurn(2_000, instances(client, 20))),
  "instances, 2 000": await perSecond(100, () => inTurn(100, instances(client, 2_000))),
  "submit, 20": await perSecond(300, () => inTurn(300, submits(client))),
};
console.table(perSecondOf);
recordIfAsked("bench/baseline.json", { roundTripsPerSecond: perSecondOf });

for (const one of clients) one.close();
const ended = new Promise((resolve) => {
  serving.once("exit", resolve);
});
serving.disconnect();
await ended;
rmSync(folder, { recursive: true });
