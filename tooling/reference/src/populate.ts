// A small population for a fresh cluster: something of every kind of object, and jobs that ended well and badly.

import type { Site } from "./cluster.js";
import { mustSucceed, runInside } from "./inside.js";
import { bridge } from "./layout.js";

/**
 * Populates a fresh cluster of at least three nodes.
 *
 * | instance | primary | template | peculiarity |
 * |---|---|---|---|
 * | inst1 | node1 | diskless | NIC with an address of network net1 |
 * | inst2 | node2 | diskless | minmem below maxmem; migrated to node1 |
 * | inst3 | node1 | file | two disks, the second one read-only |
 * | inst4 | node3 | diskless | tags; its node is in group g2 |
 * | inst5 | node2 | diskless | stopped, no NIC, an OS parameter |
 * | inst6 | node2 | file | forthcoming |
 *
 * With the stand-ins for storage also inst7 (plain, node1) and inst8 (drbd, node1 and node2).
 */
export async function populate(site: Site): Promise<void> {
  const [master, second, third] = site.nodes;
  if (second === undefined || third === undefined) throw new Error("needs three nodes");
  const [one, two, three] = [master.name, second.name, third.name];
  const attempt = (...command: string[]) => runInside(site.initPid, master, command);
  const run = async (...command: string[]) => mustSucceed(command, await attempt(...command));
  const add = (name: string, node: string, template: string, ...options: string[]) =>
    run(
      ...["gnt-instance", "add", "--no-ip-check", "-o", "noop+default", "-t", template],
      ...["-n", node, ...options, `${name}.example.com`],
    );

  await run("gnt-group", "add", "--alloc-policy=last_resort", "g2");
  await run("gnt-group", "assign-nodes", "--force", "g2", three);
  const addresses = ["--network=10.88.0.0/24", "--gateway=10.88.0.1"];
  const reserved = "--add-reserved-ips=10.88.0.2,10.88.0.3";
  await run("gnt-network", "add", ...addresses, reserved, "--mac-prefix=aa:00:01", "net1");
  await run("gnt-network", "connect", "-N", `mode=bridged,link=${bridge}`, "net1", "default", "g2");

  await Promise.all([
    add("inst1", one, "diskless", "-B", "memory=128M,vcpus=1", "--net", "0:ip=pool,network=net1"),
    add("inst2", two, "diskless", "-B", "minmem=128M,maxmem=256M,vcpus=2"),
    add("inst4", three, "diskless", "-B", "memory=128M", "--tags=env:test,owner:alice"),
    add(
      "inst5",
      two,
      "diskless",
      "-B",
      "memory=128M",
      "--no-start",
      "--no-nics",
      "-O",
      "my_param=42",
    ),
  ]);
  const twoDisks = ["--disk", "0:size=16M,name=root", "--disk", "1:size=8M,mode=ro"];
  await add("inst3", one, "file", ...twoDisks, "-B", "memory=128M");
  await add("inst6", two, "file", "--disk", "0:size=16M", "-B", "memory=512M", "--forthcoming");
  if (site.storage) {
    await add("inst7", one, "plain", "-s", "128M", "-B", "memory=128M");
    await add("inst8", `${one}:${two}`, "drbd", "-s", "128M", "-B", "memory=128M");
  }
  await addRules(run);
  await Promise.all([
    run("gnt-cluster", "add-tags", "pop", "owner:bob"),
    run("gnt-node", "add-tags", one, "rack:a1"),
    run("gnt-group", "add-tags", "g2", "site:b"),
    run("gnt-network", "add-tags", "net1", "vlan:7"),
    run("gnt-debug", "delay", "0.1"),
    run("gnt-instance", "migrate", "-f", "inst2.example.com"),
    run("gnt-instance", "reboot", "inst1.example.com"),
    // A job that fails: the disks of this instance are on one node only.
    attempt("gnt-instance", "migrate", "-f", "inst3.example.com"),
  ]);
}

async function addRules(run: (...command: string[]) => Promise<unknown>): Promise<void> {
  const refused = [["reason", ["=", "user", "mallory"]]];
  const slowed = [
    ["opcode", ["=", "OP_ID", "OP_INSTANCE_CREATE"]],
    ["reason", ["=~", "reason", "^bulk"]],
  ];
  const add = (priority: number, action: string, predicates: unknown, ...options: string[]) =>
    run(
      ...["gnt-filter", "add", `--priority=${priority}`, `--action=${action}`],
      ...[`--predicates=${JSON.stringify(predicates)}`, ...options],
    );
  await add(10, "REJECT", refused, "--reason=maintenance");
  await add(20, "RATE_LIMIT 3", slowed);
}
