import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { cpuLoadCollector, loadBetween, readTicks } from "./cpu-load.js";
import { answerTo, serveMonitoring } from "./monitoring-server.js";

/** /proc/stat with two CPUs: busy ticks, and ticks of idling and waiting. */
const stat = (busy0: number, idle0: number, busy1: number, idle1: number) =>
  `cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 ${busy0} 0 0 ${idle0} 0 0 0 0 99 99\ncpu1 0 0 ${busy1} 0 ${idle1} 0 0 0 0 0\nintr 5\n`;

test("the load is the busy part of the time between two samples", () => {
  const [first, last] = [readTicks(stat(100, 900, 0, 1000)), readTicks(stat(150, 950, 100, 1000))];
  expect(loadBetween(first, last)).toEqual({ cpu_number: 2, cpus: [0.5, 1], cpu_total: 1.5 });
  expect(loadBetween(first, first)).toEqual({ cpu_number: 2, cpus: [0, 0], cpu_total: 0 });
  expect(loadBetween(first, last.slice(1))).toBeNull();
});

test("samples older than 150 s do not count", () => {
  let next = (): void => {};
  const clock = {
    after(_: number, then: () => void) {
      next = then;
      return () => {};
    },
  };
  let time = 0;
  // The CPU is busy for the first 5 s only.
  const collector = cpuLoadCollector(clock, () => {
    const at = time++;
    return stat(at > 0 ? 500 : 0, Math.max(0, at - 1) * 500, 0, at * 500);
  });
  expect(collector.load()).toBeNull();
  next();
  expect(collector.load()?.cpus[0]).toBe(1);
  for (let count = 2; count <= 30; count++) next();
  expect(collector.load()?.cpus[0]).toBeCloseTo(1 / 30);
  next();
  expect(collector.load()?.cpus[0]).toBe(0);
});

const load = { cpu_number: 1, cpus: [0.25], cpu_total: 0.25 };
const clock = { wallMicros: () => 1_700_000_000_000_000 };

const storage = { health: () => Promise.reject(new Error("storage is not asked about")) };

test("the report has the keys that hail reads, over HTTP", async () => {
  const server = await serveMonitoring(
    { clock, cpuLoad: { load: () => load }, storage },
    { address: "127.0.0.1", port: 0 },
  );
  const at = `http://127.0.0.1:${server.port}/1/report`;
  const report = await (await fetch(`${at}/default/cpu-avg-load`)).json();
  const [missing, posted] = [await fetch(`${at}/x`), await fetch(at, { method: "POST" })];
  await server.close();
  expect(report).toEqual({
    ...{ name: "cpu-avg-load", version: "B", format_version: 1, category: null, kind: 0 },
    ...{ timestamp: 1.7e18, data: load },
  });
  expect([missing.status, posted.status]).toEqual([404, 405]);
});

test.each([
  ["CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 501],
  [`CONNECT x:1 HTTP/1.1\r\n\r\n${"A".repeat(100_000)}`, 501],
  ["CONNECT / HTTP/1.0\r\n\r\n", 501],
  ["GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", 200],
  ["TRACE / HTTP/1.1\r\nHost: x\r\n\r\n", 405],
  ["nonsense\r\n\r\n", 400],
])("%j is answered with %i", async (request, status) => {
  const ports = { clock, cpuLoad: { load: () => null }, storage };
  const server = await serveMonitoring(ports, { address: "127.0.0.1", port: 0 });
  const text = await new Promise<string>((resolve, reject) => {
    let received = "";
    const socket = connect(server.port, "127.0.0.1", () => socket.write(request));
    socket.on("data", (part) => {
      received += part;
    });
    socket.on("error", reject).on("close", () => resolve(received));
  });
  await server.close();
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test("clients that keep a refused CONNECT open do not keep the others out", async () => {
  const ports = { clock, cpuLoad: { load: () => load }, storage };
  const server = await serveMonitoring(ports, { address: "127.0.0.1", port: 0 });
  const held = Array.from({ length: 16 }, () =>
    connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true })
      .on("error", () => {})
      .resume(),
  );
  try {
    for (const socket of held) socket.write("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n");
    await Promise.all(held.map((socket) => once(socket, "end")));
    const at = `http://127.0.0.1:${server.port}/1/report/default/cpu-avg-load`;
    const status = () =>
      fetch(at).then(
        (answer) => answer.status,
        () => null,
      );
    await expect.poll(status).toBe(200);
  } finally {
    for (const socket of held) socket.destroy();
    await server.close();
  }
});

test("there is no report before the second sample", async () => {
  const ports = { clock, cpuLoad: { load: () => null }, storage };
  expect((await answerTo("/1/report/default/cpu-avg-load", ports)).status).toBe(503);
});
