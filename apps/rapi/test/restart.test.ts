import { rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { aServer } from "./served.js";

test("a server that is started again finds its cluster, its jobs and its certificate", async () => {
  const first = await aServer();
  const { world, cluster } = first;
  const id = await world.queue.submit([
    { OP_ID: "OP_TEST_DUMMY", result: 1, messages: [], fail: false, submit_jobs: [] },
  ]);
  const { uuid } = cluster.snapshot().cluster;
  const again = await first.again();
  expect(again.cluster.snapshot().cluster.uuid).toBe(uuid);
  expect((await again.world.queue.query([], ["id"])).map((row) => row?.[0])).toEqual([id]);
  expect(again.certificate).toBe(first.certificate);
  await again.end();
});

test("two servers do not share a data directory: the second is told who has it", async () => {
  const server = await aServer();
  const { path, pid } = server.directory;
  const refused = (who: string) =>
    expect(server.beside()).rejects.toThrow(`the data directory ${path} is in use by ${who}`);
  await refused(`process ${process.pid}`);
  // Of one that was killed before.
  writeFileSync(pid, "999999999\n");
  await refused("another process");
  rmSync(pid);
  await refused("another process");
  expect(await server.world.queue.query([], ["id"])).toEqual([]);
  await server.end();
});
