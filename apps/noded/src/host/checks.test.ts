import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aContext } from "../../test/a-context.js";
import { machineFolder } from "../../test/machine-folder.js";
import { nodePaths } from "../machine/paths.js";
import { faultOf, fileChecks } from "./file-checks.js";
import { reachByTcp, reachChecks } from "./reach-checks.js";

const request = { clusterName: "cluster.example.com" };

test("checksums of files are listed by the requested path, without directories and missing ones", async () => {
  const context = aContext();
  context.write("etc/ganeti/a", "text");
  const paths = ["/etc/ganeti/a", "/etc/ganeti", "/etc/ganeti/missing"];
  expect(await fileChecks(context).files?.(paths, request)).toEqual({
    files: { "/etc/ganeti/a": createHash("sha1").update("text").digest("hex") },
  });
});

test("programs that cannot be run are reported, each with its fault", async () => {
  const context = aContext();
  context.write("bin/run", "", 0o755);
  context.write("bin/plain", "", 0o644);
  const names = ["/bin/run", "/bin/plain", "/bin", "/missing"];
  const checks = fileChecks(context);
  expect(await checks.userScripts?.(names, request)).toEqual({
    missingUserScripts: ["/bin/plain", "/bin", "/missing"],
  });
  const { oobFaults } = (await checks.oobPrograms?.(names, request)) ?? {};
  expect(oobFaults).toEqual([
    null,
    "out of band helper /bin/plain is not executable",
    "out of band helper /bin is not a file",
    expect.stringContaining("error stating out of band helper: ENOENT"),
  ]);
});

test("a certificate is reported if it expires soon, has expired, is not yet valid or is self-signed", async () => {
  const day = 24 * 3600 * 1000;
  const now = Date.parse("2026-06-01T00:00:00Z");
  const fault = (fromDays: number, toDays: number, issuer = "CN=ca") =>
    faultOf(
      {
        validFrom: new Date(now + fromDays * day).toISOString(),
        validTo: new Date(now + toDays * day).toISOString(),
        ...{ issuer, subject: "CN=node1" },
      },
      "client.pem",
      now,
    );
  expect(fault(-1, 31)).toBeNull();
  expect(fault(-1, 31, "CN=node1")?.text).toContain("is self-signed");
  expect([fault(-1, 30), fault(-1, 8), fault(-1, 7), fault(-2, -1), fault(1, 99)]).toMatchObject([
    { severity: "WARNING", text: expect.stringContaining("expires in about 30 days") },
    { severity: "WARNING", text: expect.stringContaining("about 8 days") },
    { severity: "ERROR", text: expect.stringContaining("about 7 days") },
    { severity: "ERROR", text: expect.stringContaining("is expired") },
    { severity: "WARNING", text: expect.stringContaining("not yet valid") },
  ]);
});

test("a client certificate is read from the node's data", async () => {
  const folder = await machineFolder();
  const context = aContext({ paths: nodePaths(folder.root) });
  const found = await fileChecks(context).clientCertificate?.(true, request);
  folder.remove();
  expect(found?.clientCertificate?.text).toContain("is self-signed");
  const missing = await fileChecks(aContext()).clientCertificate?.(true, request);
  expect(missing?.clientCertificate).toMatchObject({ severity: "ERROR" });
  const broken = aContext();
  broken.write(join("var/lib/ganeti", "client.pem"), "garbage");
  const unreadable = await fileChecks(broken).clientCertificate?.(true, request);
  expect(unreadable?.clientCertificate?.text).toContain("Failed to load X509 certificate");
});

const nodes = [
  { name: "node1.example.com", primaryIp: "192.0.2.1", secondaryIp: "198.51.100.1" },
  { name: "node2.example.com", primaryIp: "192.0.2.2", secondaryIp: "198.51.100.2" },
];

test("each network is tried from the node's own address in it, and a broken secondary network is reported", async () => {
  const tried: (readonly [string, string | undefined])[] = [];
  const checks = reachChecks(aContext(), async (target, source) => {
    tried.push([target, source]);
    return target !== "198.51.100.2";
  });
  const candidates = ["node1.example.com"];
  expect(await checks.network?.({ nodes, candidates }, request)).toEqual({
    unreachedByTcp: { "node2.example.com": "failure using the secondary interface(s)" },
  });
  expect(tried).toContainEqual(["198.51.100.2", "198.51.100.1"]);
  expect(await checks.network?.({ nodes, candidates: [] }, request)).toEqual({
    unreachedByTcp: {},
  });
  const others = nodes.slice(1);
  expect(await checks.network?.({ nodes: others, candidates }, request)).toEqual({
    unreachedByTcp: {
      "node1.example.com": "Can't find my own primary/secondary IP in the node list",
    },
  });
});

test("only candidates try to reach the master", async () => {
  const checks = reachChecks(aContext(), async () => true);
  const master = { name: "node2.example.com", ip: "192.0.2.9" };
  const ask = (candidates: string[]) => checks.master?.({ ...master, candidates }, request);
  expect(await ask(["node1.example.com"])).toEqual({ masterReached: true });
  expect(await ask(["node2.example.com"])).toEqual({ masterReached: null });
});

test("an address that refuses the connection counts as reached", async () => {
  // Port 1 of loopback has no listener.
  expect(await reachByTcp(1)("127.0.0.1", "127.0.0.1")).toBe(true);
  // An address that this machine does not have cannot be the source.
  expect(await reachByTcp(1)("127.0.0.1", "192.0.2.77")).toBe(false);
});
