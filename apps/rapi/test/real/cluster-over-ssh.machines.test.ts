// A cluster of two machines with an sshd each, made by gnt-cluster init and gnt-node add; an instance on it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { guestSystem } from "../../src/demo/real/guest-system.js";
import { lackingForSshRoom, type SshRoom, sshRoom, sharedStorage as storage } from "./ssh-room.js";

const lacks = await lackingForSshRoom();
if (lacks.length > 0) console.warn(`SKIPPED: ${lacks.join("; ")}`);

const [node1, node2] = ["node1.example.com", "node2.example.com"];
const disks = `${storage}/web.example.com`;

describe.skipIf(lacks.length > 0)("a cluster made over ssh", () => {
  let room: SshRoom;
  const on = (machine: string, script: string) => room.on(machine, script);

  beforeAll(async () => {
    room = await sshRoom([node1, node2]);
  });
  afterAll(() => room.close());

  test("init names missing programs with one apt line and changes nothing", async () => {
    const hide = "mount --bind /dev/null /usr/bin/socat";
    const { code, stderr } = await room.run(
      node1,
      `unshare --mount sh -c '${hide}; gnt-cluster init --enabled-disk-templates=sharedfile cluster.example.com'`,
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining("apt-get install socat\n")]);
    expect(await on(node1, "ls /var/lib/ganeti /etc/ganeti /run/ganeti 2> /dev/null || true")).toBe(
      "",
    );
  });

  test("init makes the first machine a node whose daemon answers", async () => {
    const made = await on(
      node1,
      `gnt-cluster init --enabled-hypervisors=kvm --enabled-disk-templates=sharedfile --nic-parameters=link=br0 \\
 --shared-file-storage-dir=${storage} -H kvm:kernel_path=,kvm_path=/usr/bin/qemu-system-x86_64,kvm_flag=disabled,vhost_net=false \\
 cluster.example.com`,
    );
    expect(made).toContain(
      "node1.example.com (192.0.2.11) becomes the master of cluster.example.com",
    );
    const hasAddress = "ip -o addr show br0 | grep -q 192.0.2.10/32";
    await on(node1, `for i in $(seq 100); do ${hasAddress} && exit 0; sleep 0.2; done; exit 1`);
    expect(await on(node1, "cat /etc/ganeti/file-storage-paths")).toBe(`${storage}\n`);
    const again = await room.run(node1, "gnt-cluster init cluster.example.com");
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("already initialised")]);
  });

  test("node add copies the daemon over ssh, and both machines trust each other", async () => {
    const added = await on(node1, `gnt-node add --no-ssh-key-check ${node2}`);
    expect(added).toContain("the node daemon of node2.example.com answers");
    expect(await on(node1, "gnt-node list --no-headers -o name,role")).toMatch(
      /^node1\.example\.com +M\nnode2\.example\.com +C\n$/,
    );
    const options =
      "-oBatchMode=yes -oStrictHostKeyChecking=yes -oUserKnownHostsFile=/dev/null -oLogLevel=ERROR" +
      " -oGlobalKnownHostsFile=/var/lib/ganeti/known_hosts -oHostKeyAlias=cluster.example.com";
    expect(await on(node2, `ssh ${options} root@${node1} hostname`)).toBe(`${node1}\n`);
    expect(
      await on(node2, "stat -c %a /var/lib/ganeti/server.pem /var/lib/ganeti/client.pem"),
    ).toBe("440\n440\n");
    expect(await on(node2, "cat /var/lib/ganeti/ssconf_node_list")).toBe(`${node1}\n${node2}\n`);
    const listed = await on(node1, "gnt-os list --no-headers");
    expect(listed.trim().split(/\s+/)).toEqual(
      expect.arrayContaining(["debian+bookworm", "debian+small", "debian+trixie"]),
    );
  });

  test("verification finds root's ssh files in order, until a key is missing", async () => {
    const verified = async () =>
      (await room.run(node1, "gnt-cluster verify --error-codes --verify-ssh-clutter")).stdout;
    expect(await verified()).not.toContain("ENODESSH");
    const keys = "/var/lib/ganeti/ganeti_pub_keys";
    await on(node1, `cp -p ${keys} ${keys}.kept; head -n 1 ${keys}.kept > ${keys}`);
    expect(await verified()).toMatch(/ENODESSH.*potential master candidates are missing/);
    await on(node1, `mv ${keys}.kept ${keys}`);
    expect(await verified()).not.toContain("ENODESSH");
  });

  test("an instance of the OS debian boots, has network and answers on its console", async () => {
    const system = guestSystem(undefined, () => {});
    const parameters = `source=${system},console=shell`;
    for (const machine of [node1, node2]) {
      await on(machine, "umask 077; echo opensesame > /etc/ganeti/vnc-password");
    }
    await on(
      node1,
      `gnt-instance add -t sharedfile -s 1g -o debian+small -n ${node1} --no-ip-check --no-name-check \\
 --net 0:ip=192.0.2.50 -B memory=128 -O ${parameters} \\
 -H kvm:vnc_bind_address=127.0.0.1,vnc_password_file=/etc/ganeti/vnc-password web.example.com`,
    );
    await on(
      node1,
      "for i in $(seq 200); do ping -q -c 1 -W 1 192.0.2.50 > /dev/null && exit 0; sleep 0.5; done; exit 1",
    );
    expect(await answer("web.example.com", "hostname; echo $((40 + 2)) is it")).toMatch(
      /web\.example\.com[\s\S]*42 is it/,
    );
  });

  /** Output of the console after a line has been typed, through gnt-instance console with a terminal. */
  async function answer(instance: string, line: string): Promise<string> {
    const typed = `(sleep 3; printf '\\n%s\\n' ${JSON.stringify(line).replaceAll("$", "\\$")}; sleep 4; printf '\\035'; sleep 1)`;
    const { stdout } = await room.run(
      node1,
      `${typed} | script -qefc 'gnt-instance console ${instance}' /dev/null`,
    );
    return stdout;
  }

  test("a running instance is migrated, and reached on the other machine", async () => {
    await on(node1, `gnt-instance migrate -f -n ${node2} web.example.com`);
    expect(await on(node1, "gnt-instance list --no-headers -o pnode,status")).toMatch(
      /^node2\.example\.com +running\n$/,
    );
    await on(node1, "ping -q -c 1 -W 5 192.0.2.50");
    expect(await answer("web.example.com", "echo still $((6 * 7))")).toContain("still 42");
  });

  test("a disk is added, detached and attached while it runs: QEMU has it, and so has the guest", async () => {
    const qmp = "/run/ganeti/kvm-hypervisor/ctrl/web.example.com.qmp";
    const commands = '{"execute":"qmp_capabilities"}{"execute":"query-block"}';
    const drives = async () =>
      (await on(node2, `echo '${commands}' | socat -t 2 - UNIX-CONNECT:${qmp}`)).match(
        /"inserted": .*?"file": "[^"]+"/g,
      );
    const modified = async (change: string) => {
      const printed = await on(node1, `gnt-instance modify --disk ${change} web.example.com 2>&1`);
      expect(printed).toContain("hotplug:done");
    };
    expect(await drives()).toHaveLength(1);
    await modified("add:size=1g,name=data");
    expect(await drives()).toHaveLength(2);
    const write = "echo kept > /dev/vdb; sync; cat /sys/block/vdb/size";
    expect(await answer("web.example.com", write)).toContain(String(1024 ** 3 / 512));
    await modified("data:detach");
    expect(await drives()).toHaveLength(1);
    await modified("attach:name=data");
    expect(await drives()).toHaveLength(2);
    expect(await answer("web.example.com", "head -c 4 /dev/vd[bc] | tr a-z A-Z")).toContain("KEPT");
    await modified("data:remove");
    expect(await drives()).toHaveLength(1);
  });

  test("the page's consoles reach it on the other machine: serial, and VNC with its password", async () => {
    await on(
      node1,
      "echo secret > password; gnt-cluster user add --rights=write --new-password-file=password jack",
    );
    const open = (kind: string, more = "") =>
      on(
        node1,
        `node ${import.meta.dirname}/open-console.mjs https://127.0.0.1:5080 jack:secret web.example.com ${kind} ${more}`,
      );
    expect(await open("serial", "'echo typed $((6 * 7))' 'typed 42'")).toContain("typed 42");
    expect(await open("vnc")).toContain("QEMU (web.example.com)");
  });

  test("an instance is exported and imported with equal checksums", async () => {
    await on(node1, "gnt-instance shutdown --timeout=5 web.example.com");
    const sum = async () => (await on(node1, `sha256sum ${disks}/* | cut -d ' ' -f 1`)).trim();
    const before = await sum();
    await on(node1, `gnt-backup export -n ${node1} --noshutdown web.example.com`);
    await on(node1, "gnt-instance remove -f web.example.com");
    expect(await on(node1, `find ${storage} -type f`)).toBe("");
    await on(
      node1,
      `gnt-backup import -t sharedfile -n ${node2} --src-node=${node1} --src-dir=web.example.com \\
 --no-ip-check --no-name-check web.example.com`,
    );
    expect(await sum()).toBe(before);
    await on(node1, "gnt-instance remove -f --shutdown-timeout=0 web.example.com");
  });

  test("node remove leaves no daemon, no files of the cluster and no login", async () => {
    const keyOf = async (machine: string) =>
      (await on(machine, "cut -d ' ' -f 2 ~root/.ssh/id_rsa.pub")).trim();
    const acceptedBy = (machine: string) => on(machine, "cat ~root/.ssh/authorized_keys");
    const [first, key] = [await keyOf(node1), await keyOf(node2)];
    expect(await acceptedBy(node1)).toContain(key);
    await on(node1, `gnt-node modify --master-candidate=no ${node2}`);
    expect(await acceptedBy(node1)).not.toContain(key);
    await on(node1, `gnt-node modify --master-candidate=yes ${node2}`);
    expect(await acceptedBy(node1)).toContain(key);
    const removed = await room.run(node1, `gnt-node remove ${node2}`);
    expect([removed.code, removed.stderr]).toEqual([0, ""]);
    expect(removed.stdout).not.toContain("WARNING");
    expect(await acceptedBy(node2)).not.toContain(first);
    await on(
      node2,
      "for i in $(seq 50); do [ -e /run/ganeti/ganeti-ts-noded.pid ] || exit 0; sleep 0.2; done; exit 1",
    );
    expect(await on(node2, "find /var/lib/ganeti -maxdepth 1 -type f")).toBe("");
    expect(await acceptedBy(node1)).not.toContain(key);
    expect(await on(node1, "cat /var/lib/ganeti/ganeti_pub_keys")).not.toContain(key);
    await on(node1, "gnt-cluster destroy --yes-do-it");
    expect(await on(node1, "ls /var/lib/ganeti/server.pem 2> /dev/null || true")).toBe("");
    expect(await on(node1, "ip -o addr show br0")).not.toContain("192.0.2.10/32");
  });
});
