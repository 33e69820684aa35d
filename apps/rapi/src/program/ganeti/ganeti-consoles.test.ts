// Consoles of instances on real nodes: address of VNC, command line of ssh, and source of passwords.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { ConsoleError, type ConsoleInstance } from "../../console/consoles.js";
import { ganetiConsoles, vncAddress } from "./ganeti-consoles.js";

const anInstance = (changes: Partial<ConsoleInstance> = {}): ConsoleInstance => ({
  ...{ name: "web1.example.com", node: "node2.example.com", nodeAddress: "192.0.2.2" },
  ...{ sshPort: 2222, clusterName: "cluster.example.com", os: "debian", memoryMib: 512, vcpus: 1 },
  hvparams: { vnc_bind_address: "0.0.0.0" },
  networkPort: 11001,
  console: { kind: "vnc" },
  ...changes,
});

/** A folder as a node's root, in which `ssh` is a program that prints its arguments. */
function aSite() {
  const root = mkdtempSync(join(tmpdir(), "consoles-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const ssh = join(root, "ssh");
  writeFileSync(ssh, '#!/bin/sh\nfor word; do echo "$word"; done\nread line\necho "got $line"\n');
  chmodSync(ssh, 0o755);
  vi.stubEnv("PATH", `${root}:${process.env.PATH}`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return { host: "node1.example.com", root, data: join(root, "var/lib/ganeti") };
}

async function textOf(stream: Duplex): Promise<string[]> {
  let text = "";
  for await (const part of stream) text += String(part);
  return text.trim().split("\n");
}

test.each([
  ["0.0.0.0", { host: "192.0.2.2", port: 11001, isLoopback: false }],
  ["::", { host: "192.0.2.2", port: 11001, isLoopback: false }],
  ["198.51.100.7", { host: "198.51.100.7", port: 11001, isLoopback: false }],
  ["127.0.0.1", { host: "127.0.0.1", port: 11001, isLoopback: true }],
  ["::1", { host: "::1", port: 11001, isLoopback: true }],
  ["/var/run/vnc", undefined],
  ["", undefined],
])("VNC bound to '%s' is reached at %j", (bind, address) => {
  expect(vncAddress(anInstance({ hvparams: { vnc_bind_address: bind } }))).toEqual(address);
});

test("an instance has the consoles that its hypervisor offers, the serial one first", () => {
  const { kindsOf } = ganetiConsoles(aSite());
  expect(kindsOf(anInstance())).toEqual(["vnc"]);
  expect(kindsOf(anInstance({ console: { kind: "ssh" } }))).toEqual(["serial", "vnc"]);
  expect(kindsOf(anInstance({ console: { kind: "msg" }, networkPort: null }))).toEqual([]);
});

test("VNC on the node's loopback address goes through ssh, checked by the cluster's host key", async () => {
  const consoles = ganetiConsoles(aSite());
  const instance = anInstance({ hvparams: { vnc_bind_address: "127.0.0.1" } });
  const { stream } = await consoles.open(instance, "vnc");
  stream.write("hello\n");
  const words = await textOf(stream);
  expect(words.slice(-4)).toEqual(["-W", "127.0.0.1:11001", "root@node2.example.com", "got hello"]);
  expect(words).toContain("-oHostKeyAlias=cluster.example.com");
  expect(words).toContain("-oStrictHostKeyChecking=yes");
  expect(words).toContain("-oPort=2222");
});

test("a serial console is the node's command on a terminal, its words quoted", async () => {
  const consoles = ganetiConsoles(aSite());
  const command = ["/usr/lib/console", "it's $HOME"];
  const instance = anInstance({ console: { kind: "ssh", user: "root", command } });
  const { stream } = await consoles.open(instance, "serial");
  stream.write("x\n");
  const words = await textOf(stream);
  expect(words.slice(-5, -1)).toEqual([
    ...["-t", "-t", "root@node2.example.com", "'/usr/lib/console' 'it'\\''s $HOME'"],
  ]);
});

test("a console whose program ends before its input is closed ends without an error", async () => {
  const site = aSite();
  writeFileSync(join(site.root, "ssh"), "#!/bin/sh\necho bye\n");
  const instance = anInstance({ console: { kind: "ssh", user: "root", command: ["console"] } });
  const { stream } = await ganetiConsoles(site).open(instance, "serial");
  const errors: Error[] = [];
  stream.on("error", (error) => errors.push(error));
  expect(await textOf(stream)).toEqual(["bye"]);
  await new Promise<void>((resolve) => {
    if (stream.closed) resolve();
    else stream.once("close", resolve);
  });
  expect(errors).toEqual([]);
});

test("the password is the first line of this machine's copy of the file", async () => {
  const site = aSite();
  mkdirSync(join(site.root, "etc"));
  writeFileSync(join(site.root, "etc/vnc"), "secret\nmore\n");
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.2", resolve));
  onTestFinished(() => void server.close());
  const { port: networkPort } = server.address() as { port: number };
  const consoles = ganetiConsoles(site);
  const opened = async (file: string) => {
    const hvparams = { vnc_bind_address: "0.0.0.0", vnc_password_file: file };
    const instance = anInstance({ hvparams, networkPort, nodeAddress: "127.0.0.2" });
    const { stream, password } = await consoles.open(instance, "vnc");
    stream.destroy();
    return password;
  };
  expect(await opened("/etc/vnc")).toBe("secret");
  expect(await opened("/etc/missing")).toBe(undefined);
  expect(await opened("")).toBe(undefined);
});

test("a VNC server that does not listen is named", async () => {
  const instance = anInstance({ networkPort: 1, nodeAddress: "127.0.0.1" });
  const refused = await ganetiConsoles(aSite())
    .open(instance, "vnc")
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConsoleError);
  expect((refused as Error).message).toContain("127.0.0.1:1 cannot be reached");
});
