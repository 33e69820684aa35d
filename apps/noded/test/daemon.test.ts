import type { NodeRpcServer } from "@ganeti-ts/node-rpc";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve } from "../src/daemon/serve.js";
import { quiet } from "./a-context.js";
import { type MachineFolder, machineFolder } from "./machine-folder.js";
import { nodeClient } from "./node-client.js";

const caller = { lease: "1:1", signal: new AbortController().signal };

describe("a node daemon", () => {
  let folder: MachineFolder;
  let server: NodeRpcServer;
  beforeAll(async () => {
    folder = await machineFolder();
    const options = {
      address: "127.0.0.1",
      port: 0,
      nodeName: "node1.example.com",
      isDebug: false,
    };
    server = await serve({ ...options, root: folder.root }, quiet);
  });
  afterAll(async () => {
    await server.close();
    folder.remove();
  });

  const clientWith = (pem: string) => nodeClient(folder.server, pem, server.port);

  test("answers master candidates", async () => {
    const client = await clientWith(folder.client);
    expect(await client.call("uuid-1", "version", {}, caller)).toEqual({
      ok: true,
      value: { protocol: 3_000_000 },
    });
    expect(await client.call("uuid-1", "master_node_name", {}, caller)).toEqual({
      ok: true,
      value: "node1.example.com",
    });
  });

  test("refuses certificates that its list of candidates does not have", async () => {
    const client = await clientWith(folder.stranger);
    expect(await client.call("uuid-1", "version", {}, caller)).toMatchObject({ ok: false });
  });
});
