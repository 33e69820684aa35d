// Certificates that are replaced while client and server run.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type SecureVersion } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  clientCertificateFiles,
  createNodeRpcClient,
  createNodeRpcServer,
  type NodeRpcServer,
  serverCertificateFile,
} from "../src/index.js";
import { caller, digestOf, loopbackNode, pems, versioned } from "./loopback.js";

const nodes = versioned;

let folder: string;
let server: NodeRpcServer;
let accepted: string[];

const file = (name: string) => join(folder, name);
/** Replaces a file as Ganeti does, by renaming a new one. */
function put(name: string, content: string): void {
  writeFileSync(file(`${name}.new`), content);
  renameSync(file(`${name}.new`), file(name));
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "node-rpc-certificates-"));
  put("server.pem", pems.server);
  put("client.pem", pems.client);
  accepted = [digestOf(pems.client)];
  server = await createNodeRpcServer({
    certificates: serverCertificateFile(file("server.pem")),
    acceptedDigests: () => accepted,
    ...{ nodes, node: "A", lease: "1:1", host: "127.0.0.1", port: 0 },
  });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Returns a function that calls `version` with a client that lives as long as the test. */
async function asking(cluster = file("server.pem")) {
  const certificates = clientCertificateFiles({ cluster, client: file("client.pem") });
  const client = createNodeRpcClient({ certificates, port: server.port });
  await client.introduce(loopbackNode());
  return async () => {
    const answer = await client.call("A", "version", {}, caller);
    return answer.ok ? "accepted" : answer.message;
  };
}

/** TLS version of a connection that offers only this version, or the code of its failure. */
const versionWith = (offered: SecureVersion): Promise<string | null | undefined> =>
  new Promise((resolve) => {
    const { port } = server;
    const versions = { minVersion: offered, maxVersion: offered };
    const own = { cert: pems.client, key: pems.client, rejectUnauthorized: false };
    const socket = connect({ host: "127.0.0.1", port, ...own, ...versions });
    socket.once("secureConnect", () => {
      resolve(socket.getProtocol());
      socket.destroy();
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
  });

describe("Versions of TLS", () => {
  test("a server speaks TLS 1.2 only, even after its certificate has been replaced", async () => {
    const refused = "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION";
    for (const pem of [pems.server, pems.foreign]) {
      put("server.pem", pem);
      expect([await versionWith("TLSv1.2"), await versionWith("TLSv1.3")]).toEqual([
        "TLSv1.2",
        refused,
      ]);
    }
  });
});

describe("Certificates in files", () => {
  test("a new certificate of the cluster is presented and expected from the next handshake on", async () => {
    const ask = await asking();
    // This client accepts the old certificate only.
    put("old.pem", pems.server);
    const askOld = await asking(file("old.pem"));
    expect([await ask(), await askOld()]).toEqual(["accepted", "accepted"]);
    put("server.pem", pems.foreign);
    expect(await ask()).toBe("accepted");
    expect(await askOld()).toMatch(/^Error 60: SSL certificate problem: /);
  });

  test("a new certificate of the client is presented from the next handshake on", async () => {
    const ask = await asking();
    expect(await ask()).toBe("accepted");
    accepted = [digestOf(pems.other)];
    expect(await ask()).toMatch(/^Error (35|52|56): /);
    put("client.pem", pems.other);
    expect(await ask()).toBe("accepted");
  });

  test("a file that is overwritten in place is read again", async () => {
    const ask = await asking();
    accepted = [digestOf(pems.other)];
    writeFileSync(file("client.pem"), pems.other);
    expect(await ask()).toBe("accepted");
  });

  test("while a file is missing or incomplete, the last good certificates are used", async () => {
    const ask = await asking();
    rmSync(file("server.pem"));
    rmSync(file("client.pem"));
    expect(await ask()).toBe("accepted");
    put("server.pem", pems.server.slice(0, 500));
    put("client.pem", pems.client.slice(0, 500));
    expect(await ask()).toBe("accepted");
    put("server.pem", pems.foreign);
    put("client.pem", pems.client);
    expect(await ask()).toBe("accepted");
  });

  test("without usable certificates neither client nor server can be created", async () => {
    put("client.pem", "none");
    await expect(asking()).rejects.toThrow();
    const certificates = serverCertificateFile(file("missing.pem"));
    const options = { nodes, node: "A", lease: "1:1", host: "127.0.0.1", port: 0 };
    await expect(
      createNodeRpcServer({ ...options, certificates, acceptedDigests: () => accepted }),
    ).rejects.toThrow(/ENOENT/);
  });

  test("as long as no file changes, the certificates are the same object", () => {
    const certificates = clientCertificateFiles({
      cluster: file("server.pem"),
      client: file("client.pem"),
    });
    const first = certificates();
    expect(certificates()).toBe(first);
    put("client.pem", pems.client);
    expect(certificates()).not.toBe(first);
  });
});
