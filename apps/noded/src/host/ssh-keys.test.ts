import { X509Certificate } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { aContext, fakeRunner, noSignal } from "../../test/a-context.js";
import { type MachineFolder, machineFolder } from "../../test/machine-folder.js";
import { nodePaths } from "../machine/paths.js";
import { sshFileChecks } from "./ssh-checks.js";
import { authorizeKeys, generateKeys, revokeKeys } from "./ssh-files.js";
import { sshKeyCalls } from "./ssh-key-calls.js";
import { updateSsh } from "./ssh-update.js";

const authorized = (root: string) => readFileSync(join(root, "root/.ssh/authorized_keys"), "utf8");

test("RSA keys that differ in the comment only are the same, those of newer types are not, and other lines stay", async () => {
  const { root, paths, write } = aContext();
  const before = "# mine\nssh-rsa AAAA old comment\necdsa-sha2-nistp256 CCCC a";
  write("root/.ssh/authorized_keys", before, 0o640);
  await authorizeKeys(paths, ["ssh-rsa AAAA new", "ssh-rsa BBBB b", "ecdsa-sha2-nistp256 CCCC b"]);
  expect(authorized(root)).toBe(`${before}\nssh-rsa BBBB b\necdsa-sha2-nistp256 CCCC b\n`);
  expect(statSync(join(root, "root/.ssh/authorized_keys")).mode & 0o777).toBe(0o640);
  await revokeKeys(paths, ["ssh-rsa AAAA x", "ecdsa-sha2-nistp256 CCCC b"]);
  expect(authorized(root)).toBe("# mine\necdsa-sha2-nistp256 CCCC a\nssh-rsa BBBB b\n");
});

test("a new key pair replaces the old one", async () => {
  const context = aContext();
  const make = () => generateKeys(context, { type: "ecdsa", bits: 256, suffix: "" });
  const [first, second] = [await make(), await make()];
  expect(first).toMatch(/^ecdsa-sha2-nistp256 /);
  expect(second).not.toBe(first);
  const evil = generateKeys(context, { type: "rsa", bits: 2048, suffix: "/../../x" });
  await expect(evil).rejects.toThrow("Invalid suffix");
});

describe("ssh-update", () => {
  let folder: MachineFolder;
  afterEach(() => folder.remove());
  async function open() {
    folder = await machineFolder();
    folder.ssconf("cluster_name", "cluster.example.com\n");
    const paths = nodePaths(folder.root);
    const context = aContext({ paths, ssconf: async () => ["cluster.example.com"] });
    const update = {
      cluster_name: "cluster.example.com",
      node_daemon_certificate: new X509Certificate(folder.server).toString(),
    };
    return { context, update };
  }

  test("changes the list of the nodes' keys", async () => {
    const { context, update } = await open();
    const listed = () => readFileSync(join(context.paths.data, "ganeti_pub_keys"), "utf8");
    await updateSsh(context, {
      ...update,
      public_keys: ["override", { A: ["a1", "a2"], B: ["b"] }],
    });
    await updateSsh(context, { ...update, public_keys: ["add", { A: ["a2", "a3"] }] });
    expect(listed()).toBe("A a1\nA a2\nA a3\nB b\n");
    await updateSsh(context, { ...update, public_keys: ["replace_or_add", { A: ["a4"] }] });
    await updateSsh(context, { ...update, public_keys: ["remove", { B: ["other"] }] });
    expect(listed()).toBe("A a4\n");
    await updateSsh(context, { ...update, public_keys: ["clear", {}] });
    expect(listed()).toBe("");
  });

  test("changes nothing for another cluster", async () => {
    const { context, update } = await open();
    const change = {
      authorized_keys: ["add", { A: ["ssh-rsa AAAA"] }] as ["add", { A: [string] }],
    };
    const named = updateSsh(context, { ...update, ...change, cluster_name: "other" });
    await expect(named).rejects.toThrow("Cluster name is 'other'");
    const certificate = new X509Certificate(folder.stranger).toString();
    const signed = { ...update, ...change, node_daemon_certificate: certificate };
    await expect(updateSsh(context, signed)).rejects.toThrow("does not match");
    expect(() => authorized(folder.root)).toThrow("ENOENT");
  });
});

test("a node that cannot be reached is reported after three tries", async () => {
  const folder = await machineFolder();
  const { run, commands } = fakeRunner(() => ({ code: 255, stderr: "No route to host\n" }));
  const lines: Record<string, string[]> = { online_nodes: ["node1.example.com", "node2"] };
  const ssconf = async (key: string) => lines[key] ?? ["cluster.example.com"];
  const context = aContext({ paths: nodePaths(folder.root), run, ssconf });
  const { node_ssh_key_add } = sshKeyCalls(context);
  const files = { toAuthorizedKeys: true, toPublicKeys: true, getPublicKeys: true };
  const asked = { uuid: "B", name: "node2", potentialCandidates: ["node2"], ...files };
  await expect(node_ssh_key_add(asked, noSignal)).rejects.toThrow(
    "No keys found for the new node 'node2' (UUID B)",
  );
  writeFileSync(join(context.paths.data, "ganeti_pub_keys"), "node2 ssh-rsa BBBB\n");
  expect(await node_ssh_key_add(asked, noSignal)).toEqual([
    { node: "node2", message: "exited with exit code 255: No route to host" },
  ]);
  expect(commands.length).toBe(3);
  // The list now contains the node under its UUID.
  const listed = readFileSync(join(context.paths.data, "ganeti_pub_keys"), "utf8");
  expect(listed).toBe("B ssh-rsa BBBB\n");
  // Secrets and keys are passed on standard input, never as arguments.
  expect(commands[0]?.args.join(" ")).not.toContain("BBBB");
  folder.remove();
});

describe("a key that the master removes", () => {
  const listed = "A ssh-rsa AAAA\nB ssh-rsa BBBB\nnode2 ssh-rsa CCCC\n";
  const asked = {
    ...{ uuid: "B", name: "node2", candidates: ["A"], potentialCandidates: ["node1", "node2"] },
    ...{ fromAuthorizedKeys: true, fromPublicKeys: true },
    ...{ clearAuthorizedKeys: false, clearPublicKeys: false },
  };
  test.each([
    { what: "is also the one under the node's name", isReadded: false, left: "A ssh-rsa AAAA\n" },
    {
      what: "is not the new one of a node that is added again, under its name",
      isReadded: true,
      left: "A ssh-rsa AAAA\nnode2 ssh-rsa CCCC\n",
    },
  ])("$what", async ({ isReadded, left }) => {
    const folder = await machineFolder();
    const ssconf = async () => ["node1"];
    const { run } = fakeRunner(() => ({ code: 0 }));
    const context = aContext({ paths: nodePaths(folder.root), run, ssconf, nodeName: "node1" });
    writeFileSync(join(context.paths.data, "ganeti_pub_keys"), listed);
    await authorizeKeys(context.paths, ["ssh-rsa AAAA", "ssh-rsa BBBB", "ssh-rsa CCCC"]);
    const { node_ssh_key_remove } = sshKeyCalls(context);
    expect(await node_ssh_key_remove({ ...asked, isReadded }, noSignal)).toEqual([]);
    expect(readFileSync(join(context.paths.data, "ganeti_pub_keys"), "utf8")).toBe(left);
    const kept = isReadded ? ["ssh-rsa AAAA", "ssh-rsa CCCC"] : ["ssh-rsa AAAA"];
    expect(authorized(folder.root).trim().split("\n")).toEqual(kept);
    folder.remove();
  });
});

describe("the check of the ssh files", () => {
  const node = (uuid: string, change = {}) => ({
    ...{ uuid, name: `node${uuid}.example.com`, isOnline: true },
    ...{ isCandidate: true, isPotentialCandidate: true },
    ...change,
  });
  const nodes = [
    node("1"),
    node("2"),
    node("3", { isCandidate: false, isPotentialCandidate: false }),
  ];
  const request = { clusterName: "c" };
  const setup = { nodes, keyType: "rsa" };

  test("accepts files as they should be", async () => {
    const context = aContext();
    context.write("var/lib/ganeti/ganeti_pub_keys", "1 ssh-rsa K1\n2 ssh-rsa K2\n");
    context.write("root/.ssh/id_rsa.pub", "ssh-rsa K1 root@node1\n");
    context.write("root/.ssh/authorized_keys", "ssh-rsa K1 x\nssh-rsa K2 y\n");
    expect(await sshFileChecks(context).sshSetup?.(setup, request)).toEqual({ sshSetup: [] });
  });

  test("reports missing, strange and surplus keys", async () => {
    const context = aContext();
    const listed = "1 ssh-rsa K1\n1 ssh-rsa K1b\n3 ssh-rsa K3\n";
    context.write("var/lib/ganeti/ganeti_pub_keys", listed);
    context.write("root/.ssh/id_rsa.pub", "ssh-rsa OTHER\n");
    context.write("root/.ssh/authorized_keys", "ssh-rsa K1\nssh-rsa K3\n");
    const { sshSetup } = (await sshFileChecks(context).sshSetup?.(setup, request)) ?? {};
    expect(sshSetup).toEqual([
      expect.stringMatching(/not potential master candidates: 3\.$/),
      expect.stringMatching(/are missing in the shared public keys file .*: 2\.$/),
      expect.stringContaining("does not match this node's key"),
      expect.stringContaining("There is more than one key for node node1.example.com"),
      expect.stringContaining("master candidate 'node1.example.com' (UUID: '1') is not in"),
      expect.stringContaining("normal node 'node3.example.com' (UUID: '3') is in the"),
    ]);
  });

  test("reports users with several keys by their lines", async () => {
    const context = aContext();
    const user = "root@node2.example.com";
    context.write(
      "root/.ssh/authorized_keys",
      `ssh-rsa A ${user}\nssh-rsa B me\nssh-rsa C ${user}\n`,
    );
    const found = await sshFileChecks(context).sshClutter?.(true, { ...request, sshSetup: setup });
    expect(found?.sshClutter?.slice(1)).toEqual([`Entries for '${user}' in lines 1, 3.`]);
  });
});
