// Records of servers that share a database: places, leases, and calls under way.

import { leaseText } from "@ganeti-ts/job-queue";
import {
  openPostgresServers,
  openPostgresStore,
  type ServerPlace,
} from "@ganeti-ts/store/postgres";
import { type Server, startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

wherePostgresIsInstalled(describe, "records of servers", () => {
  let server: Server;
  let client: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    client = new pg.Client({ ...server.connection, options: "-c search_path=ganeti_ts" });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await server.stop();
  });

  const place = (name: string): ServerPlace => ({
    ...{ uuid: `uuid of ${name}`, name, digest: `AA:${name}`, process: "boot 1 2" },
  });

  /** A worker with its records; `die` lets its lease expire, `fence` does what its successor does. */
  async function entered(name: string) {
    const { connection } = server;
    const store = await openPostgresStore({ connection });
    const servers = await openPostgresServers({ connection });
    const lease = leaseText(store.claim);
    await servers.enter(lease, place(name));
    const { worker } = store.claim;
    return {
      ...{ servers, lease },
      die: async () => {
        await store.leave();
        await client.query("UPDATE worker SET lease_until = now() WHERE id = $1", [worker]);
      },
      fence: () => client.query("UPDATE worker SET fenced = 1 WHERE id = $1", [worker]),
      close: async () => {
        await store.close();
        await servers.close();
      },
    };
  }

  test("a server is among the living until its lease expires, and its place is known afterwards", async () => {
    const [one, two] = [await entered("one"), await entered("two")];
    expect((await two.servers.living()).map(({ name }) => name)).toEqual(["one", "two"]);
    await one.die();
    expect((await two.servers.living()).map(({ name }) => name)).toEqual(["two"]);
    expect(await two.servers.placeOf(one.lease)).toEqual(place("one"));
    expect(await two.servers.placeOf("999:1")).toBeUndefined();
    for (const each of [one, two]) await each.close();
  });

  test("calls under way are seen by other servers until they are answered", async () => {
    const [one, two] = [await entered("one"), await entered("two")];
    const call = { node: "n", call: "blockdev_create", forMs: 60_000 };
    await one.servers.sent(one.lease, [
      { ...call, key: "a" },
      { ...call, key: "b", forMs: 120_000 },
    ]);
    expect(await two.servers.leftMs(two.lease)).toBe(0);
    const left = await two.servers.leftMs(one.lease);
    expect(left).toBeGreaterThan(60_000);
    expect(left).toBeLessThanOrEqual(120_000);
    await one.servers.answered(["b"]);
    expect(await two.servers.leftMs(one.lease)).toBeLessThanOrEqual(60_000);
    await one.servers.answered(["a"]);
    expect(await two.servers.leftMs(one.lease)).toBe(0);
    for (const each of [one, two]) await each.close();
  });

  test("a fenced server can record no call, so that it sends none", async () => {
    const one = await entered("one");
    await one.fence();
    const call = { key: "late", node: "n", call: "blockdev_create", forMs: 1000 };
    await expect(one.servers.sent(one.lease, [call])).rejects.toThrow("has lost its lease");
    expect(await one.servers.leftMs(one.lease)).toBe(0);
    await one.die();
    await one.servers.close();
  });

  test("calls that have ended by their timeout are no longer waited for", async () => {
    const one = await entered("one");
    await one.servers.sent(one.lease, [{ key: "old", node: "n", call: "x", forMs: -5 }]);
    expect(await one.servers.leftMs(one.lease)).toBe(0);
    await one.close();
    await one.servers.close();
  });
});
