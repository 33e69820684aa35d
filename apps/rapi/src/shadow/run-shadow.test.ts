import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Carrier } from "@ganeti-ts/rapi-client/transport";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askingRemote } from "./run-shadow.js";

/** An original that requires a user for all but `/known`, and refuses `/forbidden` to everyone. */
const original = createServer(({ url }, response) => {
  const status = { "/known": 200, "/forbidden": 403 }[url ?? ""] ?? 401;
  response.writeHead(status, { "content-type": "application/json" }).end("1");
});
let ask: ReturnType<typeof askingRemote>;

beforeAll(async () => {
  await new Promise<void>((resolve) => original.listen(0, "127.0.0.1", resolve));
  const { port } = original.address() as AddressInfo;
  ask = askingRemote(new Carrier({ url: `http://127.0.0.1:${port}`, retriesMax: 0 }));
});
afterAll(() => void original.close());

test("an unknown user ends the comparison with a hint about the credentials", async () => {
  await expect(ask("/2/info")).rejects.toThrow(
    "the original requires one of its own users (rapi/users of its data directory): see --user",
  );
});

test("other refusals of the original are answers to compare", async () => {
  expect(await ask("/forbidden")).toEqual({ status: 403, body: null });
  expect(await ask("/known")).toEqual({ status: 200, body: 1 });
});
