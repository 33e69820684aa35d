// A cluster of 1 000 nodes and 20 000 instances: start-up, memory, one tag, the list of everything: as the first
// request of all, as the first after the server has had its time to prepare, again, and after each of some changes.
import { ended } from "./jobs.js";
import { percentiles, rounded, startServer } from "./measured.js";

const size = { nodeCount: 1000, instanceCount: 20_000 };
const list = "/2/instances?bulk=1";
const rounds = 20;

export async function large() {
  const atOnce = await listedAtOnce();
  const server = await startServer(size);
  await quiet(server);
  const { ask, close } = await server.connect();
  const idle = await server.usage();
  const timed = async (/** @type {() => Promise<unknown>} */ work) => {
    const before = await server.usage();
    const start = performance.now();
    await work();
    const ms = performance.now() - start;
    return { ms, cpuMs: (await server.usage()).cpuMs - before.cpuMs };
  };
  let bytes = 0;
  const listed = async () => {
    bytes = (await ask("GET", list)).length;
  };
  const first = await timed(listed);
  const listedOnce = await server.usage();
  const again = await timed(listed);

  const tags = [];
  const changed = [];
  for (let at = 0; at < rounds; at++) {
    tags.push(await timed(() => tag(ask, at * 700 + 1, at)));
    changed.push(await timed(listed));
  }
  const text = (await ask("GET", list)).toString();
  if (JSON.parse(text).length !== size.instanceCount) throw new Error("not all are listed");
  if (!text.includes(`"round${rounds - 1}"`)) throw new Error("the last change is not listed");
  const end = await server.usage();
  close();
  await server.stop();
  const median = (/** @type {{ cpuMs: number }[]} */ all) =>
    rounded(all.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b)[all.length >> 1]);
  return {
    ...size,
    bytes,
    start: { ms: rounded(server.startMs), cpuMs: rounded(idle.cpuMs) },
    memoryMib: {
      started: rounded(idle.rssMib),
      listed: rounded(listedOnce.rssMib),
      end: rounded(end.rssMib),
    },
    firstListAtOnce: atOnce,
    firstList: { ms: rounded(first.ms), cpuMs: rounded(first.cpuMs) },
    sameList: { ms: rounded(again.ms), cpuMs: rounded(again.cpuMs) },
    listAfterOneChange: { ...percentiles(changed.map(({ ms }) => ms)), cpuMs: median(changed) },
    oneTagOfSixInstances: await smallTags(),
    oneTag: { ...percentiles(tags.map(({ ms }) => ms)), cpuMs: median(tags) },
  };
}

/**
 * Adds a tag to an instance, and waits for its job.
 * @param {import("./measured.js").Connection["ask"]} ask @param {number} instance @param {number} round
 */
async function tag(ask, instance, round) {
  const path = `/2/instances/instance${instance}.example.com/tags?tag=round${round}`;
  await ended(ask, Number((await ask("PUT", path)).toString()));
}

/** The same on a small cluster, because the cost must not depend on the size. */
async function smallTags() {
  const server = await startServer({ nodeCount: 4, instanceCount: 6 });
  const { ask, close } = await server.connect();
  const times = [];
  const before = await server.usage();
  for (let at = 0; at < rounds; at++) {
    const start = performance.now();
    await tag(ask, (at % 6) + 1, at);
    times.push(performance.now() - start);
  }
  const after = await server.usage();
  close();
  await server.stop();
  return { ...percentiles(times), cpuMs: rounded((after.cpuMs - before.cpuMs) / rounds) };
}

/** Requests the first list as soon as the server answers. */
async function listedAtOnce() {
  const server = await startServer(size);
  const { ask, close } = await server.connect();
  const start = performance.now();
  await ask("GET", list);
  const ms = rounded(performance.now() - start);
  close();
  await server.stop();
  return { ms };
}

/** Waits until the work after the start is done. @param {import("./measured.js").Server} server */
async function quiet(server) {
  for (let before = -1; ; ) {
    const { cpuMs } = await server.usage();
    if (cpuMs - before < 5) return;
    before = cpuMs;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
