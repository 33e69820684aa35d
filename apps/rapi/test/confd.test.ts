// Configuration queries of a whole server: its listener, its key, its limits.
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { confdTypes, connectConfdClient, newConfdKey, readConfdKey } from "@ganeti-ts/confd";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StartError } from "../src/program/start-error.js";
import { done } from "./instances.js";
import { aServer, aSpecialServer, type TestServer } from "./served.js";
import { aWorld } from "./world.js";

describe("a server with --confd", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await aServer("--confd", "--confd-port=0");
  });
  afterAll(() => server.end());

  const client = async (key?: Uint8Array) => {
    const port = server.world.confd.bound()?.port ?? 0;
    const own = key ?? (await readConfdKey(server.directory.confdKey));
    return connectConfdClient({ key: own, peers: ["127.0.0.1"], port });
  };

  async function ask(type: (typeof confdTypes)[keyof typeof confdTypes], query: string | null) {
    const asking = await client();
    const { answer } = await asking.ask({ type, query });
    await asking.close();
    return answer;
  }

  test("answers from the cluster that it serves, and from its next configuration at once", async () => {
    expect(await ask(confdTypes.clusterMaster, null)).toMatchObject({
      status: 0,
      answer: "node1.example.com",
    });
    const pointer = "/cluster/tags";
    expect((await ask(confdTypes.configValue, pointer))?.answer).toEqual([]);
    await done(server, { OP_ID: "OP_TAGS_SET", kind: "cluster", tags: ["new"] });
    expect((await ask(confdTypes.configValue, pointer))?.answer).toEqual(["new"]);
  });

  test("reports its address, and counts answered and dropped queries", async () => {
    const { status, text: answer } = await server.send("GET", "/ganeti-ts/1/confd");
    expect([status, JSON.parse(answer)]).toEqual([200, { listening: server.world.confd.bound() }]);
    const stranger = await client(newConfdKey());
    expect(await stranger.ask({ type: 0 }, { timeoutMs: 200 })).toMatchObject({ received: 0 });
    await stranger.close();
    await ask(confdTypes.ping, null);
    const text = await server.world.metrics.text();
    expect(text).toMatch(/ganeti_confd_datagrams\{outcome="ok"\} [1-9]/);
    expect(text).toContain('ganeti_confd_datagrams{outcome="dropped: wrong hmac"} 1');
  });

  test("has a key that only its owner can read, and uses a renewed one at once", async () => {
    const file = server.directory.confdKey;
    expect(statSync(file).mode & 0o777).toBe(0o400);
    const old = await readConfdKey(file);
    expect((await server.send("PUT", "/ganeti-ts/1/confd/key")).status).toBe(200);
    expect(readFileSync(file, "utf8")).toMatch(/^[0-9a-f]{40}\n$/);
    expect(await readConfdKey(file)).not.toEqual(old);
    expect(await ask(confdTypes.ping, null)).toMatchObject({ status: 0 });
    const former = await client(old);
    expect(await former.ask({ type: 0 }, { timeoutMs: 200 })).toMatchObject({ received: 0 });
    await former.close();
  });

  test("reads the key file again at a reload", async () => {
    const file = server.directory.confdKey;
    chmodSync(file, 0o600);
    writeFileSync(file, newConfdKey());
    await server.reload();
    expect(await ask(confdTypes.ping, null)).toMatchObject({ status: 0 });
    writeFileSync(file, "");
    await server.reload();
    writeFileSync(file, newConfdKey());
    await server.reload();
    expect(await ask(confdTypes.ping, null)).toMatchObject({ status: 0 });
  });
});

test("a server without --confd has a key as well, and does not answer", async () => {
  const server = await aServer();
  const { text } = await server.send("GET", "/ganeti-ts/1/confd");
  expect(JSON.parse(text)).toEqual({ listening: null });
  expect((await readConfdKey(server.directory.confdKey)).length).toBe(41);
  const { mtimeMs } = statSync(server.directory.confdKey);
  const again = await server.again();
  expect(statSync(again.directory.confdKey).mtimeMs).toBe(mtimeMs);
  await again.end();
});

test("an adopted key stays in its place, and keeps its mode when it is renewed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "confd-"));
  const file = join(folder, "adopted.key");
  const adopted = newConfdKey();
  writeFileSync(file, adopted);
  chmodSync(file, 0o440);
  const server = await aServer(`--confd-key=${file}`, "--confd", "--confd-port=0");
  const port = server.world.confd.bound()?.port ?? 0;
  const client = await connectConfdClient({ key: adopted, peers: ["127.0.0.1"], port });
  expect((await client.ask({ type: confdTypes.ping })).answer?.status).toBe(0);
  await client.close();
  expect(existsSync(server.directory.confdKey)).toBe(false);
  await server.world.confd.renewKey();
  expect(statSync(file).mode & 0o777).toBe(0o440);
  expect(readFileSync(file)).not.toEqual(Buffer.from(adopted));
  await server.end();
  rmSync(folder, { recursive: true });
});

test("the server does not start with a file that is not a key, nor on an address in use", async () => {
  const prepare = async (folder: string) => writeFileSync(join(folder, "hmac.key"), "");
  await expect(aSpecialServer({ prepare })).rejects.toThrow(StartError);
  const first = await aServer("--confd", "--confd-port=0");
  const port = first.world.confd.bound()?.port;
  await expect(aServer("--confd", `--confd-port=${port}`)).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
  await first.end();
});

test("the key is renewed by the owner alone", async () => {
  let renewed = 0;
  const { ask } = await aWorld({ confd: { renewKey: async () => void renewed++ } });
  expect((await ask("PUT", "/ganeti-ts/1/confd/key")).status).toBe(403);
  expect((await ask("GET", "/ganeti-ts/1/confd", { user: "reader:look" })).status).toBe(200);
  expect(renewed).toBe(0);
});
