import { Explanation, type Json } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer } from "../src/server.js";
import { endOf } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

let server: TestServer;
beforeAll(async () => {
  server = await aServer();
});
afterAll(() => server.end());

const user = { authorization: `Basic ${btoa("rita:look")}` };

async function ask(method: string, path: string, body?: Json): Promise<[number, Json]> {
  const response = await createServer(server.world).request(path, {
    method,
    headers: { ...user, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [response.status, (await response.json()) as Json];
}

const wanted = {
  beparams: { memory: "1g", vcpus: 1 },
  disks: [{ size: "10g" }],
  disk_template: "drbd",
};

describe("questions to the placement core", () => {
  test("where an instance would go comes with every candidate", async () => {
    const [status, answer] = await ask("POST", "/ganeti-ts/1/explain", wanted);
    expect(status).toBe(200);
    const { success, instances } = Explanation.parse(answer);
    expect([success, instances[0]?.to.length, instances[0]?.needs]).toEqual([
      ...[true, 2, "drbd, 1024 MiB memory, 10368 MiB disk, 1 vcpu"],
    ]);
  });

  test("networks are found by their names, as a creation finds them", async () => {
    for (const opcode of [
      { OP_ID: "OP_NETWORK_ADD", network_name: "frontend", network: "198.51.100.0/24" },
      {
        ...{ OP_ID: "OP_NETWORK_CONNECT", network_name: "frontend", group_name: "group2" },
        ...{ network_mode: "routed", network_link: "100" },
      },
    ]) {
      const [status] = await endOf(server, await server.world.queue.submit([opcode]));
      expect(status).toBe("success");
    }
    const inNetwork = { ...wanted, nics: [{ network: "frontend", ip: "pool" }] };
    const [, answer] = await ask("POST", "/ganeti-ts/1/explain", inNetwork);
    expect(Explanation.parse(answer).success).toBe(true);
    const [, capacity] = await ask("POST", "/ganeti-ts/1/capacity", { ...inNetwork, max_count: 2 });
    expect(capacity).toMatchObject({ count: 2 });
    const op = { OP_ID: "OP_CLUSTER_CAPACITY", ...inNetwork, max_count: 2 };
    const [status, result] = await endOf(server, await server.world.queue.submit([op]));
    expect([status, JSON.stringify(result)]).toEqual(["success", expect.stringMatching(/^\[\[2,/)]);
    const unknown = { ...wanted, nics: [{ network: "nosuch" }] };
    expect(await ask("POST", "/ganeti-ts/1/explain", unknown)).toMatchObject([
      400,
      { message: expect.stringContaining("nosuch") },
    ]);
  });

  test("capacity is a number of instances, with the reason why no more fit", async () => {
    const body = { ...wanted, group_name: "group2", max_count: 3 };
    const [status, answer] = await ask("POST", "/ganeti-ts/1/capacity", body);
    expect([status, answer]).toMatchObject([200, { count: 3, figures: { stop: "limit" } }]);
  });

  test("a cluster without instances needs no moves", async () => {
    const [status, answer] = await ask("GET", "/ganeti-ts/1/balance?group=default");
    expect([status, answer]).toMatchObject([200, { moved: [], jobs: [] }]);
  });

  test("questions that make no sense are refused", async () => {
    expect((await ask("POST", "/ganeti-ts/1/explain", { disk_template: "floppy" }))[0]).toBe(400);
    expect((await ask("GET", "/ganeti-ts/1/balance?group=nosuch"))[0]).toBe(400);
  });
});
