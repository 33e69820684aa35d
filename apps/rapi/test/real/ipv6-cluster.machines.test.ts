// A cluster of two machines whose primary addresses are IPv6, from init to migration.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { guestSystem } from "../../src/demo/real/guest-system.js";
import { lackingForSshRoom, type SshRoom, sharedStorage, sshRoom } from "./ssh-room.js";

const lacks = await lackingForSshRoom();
if (lacks.length > 0) console.warn(`SKIPPED: ${lacks.join("; ")}`);

const [node1, node2] = ["node1.example.com", "node2.example.com"];
const addresses = { [node1]: "2001:db8::11", [node2]: "2001:db8::12" };
const hosts = Object.entries({ ...addresses, "cluster.example.com": "2001:db8::10" });

describe.skipIf(lacks.length > 0)("a cluster with IPv6", () => {
  let room: SshRoom;
  const on = (machine: string, script: string) => room.on(machine, script);

  beforeAll(async () => {
    room = await sshRoom([node1, node2]);
    for (const [machine, address] of Object.entries(addresses)) {
      // Names lead to addresses of IPv6 alone; those of IPv4 are the secondary ones.
      const lines = hosts.map(([name, ip]) => `${ip} ${name}\n`).join("");
      await on(
        machine,
        `ip -6 addr add ${address}/64 dev br0 nodad && printf '::1 localhost\n${lines}' > /etc/hosts
/usr/sbin/sshd -o UsePAM=no -o PidFile=none -o ListenAddress=${address}`,
      );
    }
  });
  afterAll(() => room.close());

  test("init makes a daemon that listens on IPv6, and brings the cluster's address up", async () => {
    const made = await on(
      node1,
      `gnt-cluster init --primary-ip-version=6 -s 192.0.2.11 --enabled-hypervisors=kvm \\
 --enabled-disk-templates=sharedfile --nic-parameters=link=br0 --shared-file-storage-dir=${sharedStorage} \\
 -H kvm:kernel_path=,kvm_path=/usr/bin/qemu-system-x86_64,kvm_flag=disabled,vhost_net=false cluster.example.com`,
    );
    expect(made).toContain("node1.example.com (2001:db8::11) becomes the master");
    const hasAddress = "ip -6 -o addr show br0 | grep -q 2001:db8::10/128";
    await on(node1, `for i in $(seq 100); do ${hasAddress} && exit 0; sleep 0.2; done; exit 1`);
    expect(await on(node1, "ss -Hltn 'sport = :1811'")).toMatch(/\s(\*|\[::\]):1811\s/);
  });

  test("a node joins over IPv6, and verification finds no fault", async () => {
    await on(node1, `gnt-node add -s 192.0.2.12 --no-ssh-key-check ${node2}`);
    expect(await on(node1, "gnt-node list --no-headers -o name,pip,sip,role")).toMatch(
      /^node1\.example\.com +2001:db8::11 +192\.0\.2\.11 +M\nnode2\.example\.com +2001:db8::12 +192\.0\.2\.12 +C\n$/,
    );
    const { stdout } = await room.run(node1, "gnt-cluster verify --error-codes");
    expect(stdout).not.toMatch(/ENODENET|ENODERPC|ENODEMASTERIP|ENODESSH/);
  });

  test("an instance is created, and migrated while it runs", async () => {
    const system = guestSystem(undefined, () => {});
    await on(
      node1,
      `gnt-instance add -t sharedfile -s 1g -o debian+small -n ${node1} --no-ip-check --no-name-check \\
 -B memory=128 -O source=${system} web.example.com`,
    );
    await on(node1, `gnt-instance migrate -f -n ${node2} web.example.com`);
    expect(await on(node1, "gnt-instance list --no-headers -o pnode,status")).toMatch(
      /^node2\.example\.com +running\n$/,
    );
    expect(await on(node2, "pgrep -fc 'qemu-system.*web.example.com'")).not.toBe("0\n");
  });
});
