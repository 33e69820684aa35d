import { Explanation, type Json } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer } from "../src/server.js";
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

  test("how many fit is a number, with the reason why no more", async () => {
    const body = { ...wanted, group_name: "group2", max_count: 3 };
    const [status, answer] = await ask("POST", "/ganeti-ts/1/capacity", body);
    expect([status, answer]).toMatchObject([200, { count: 3, figures: { stop: "limit" } }]);
  });

  test("a cluster without instances needs no moves", async () => {
    const [status, answer] = await ask("GET", "/ganeti-ts/1/balance?group=default");
    expect([status, answer]).toMatchObject([200, { moved: [], jobs: [] }]);
  });

  test("what makes no sense is refused", async () => {
    expect((await ask("POST", "/ganeti-ts/1/explain", { disk_template: "floppy" }))[0]).toBe(400);
    expect((await ask("GET", "/ganeti-ts/1/balance?group=nosuch"))[0]).toBe(400);
  });
});
