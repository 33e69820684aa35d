// Copies of a cluster that gnt-cluster init made of three machines: on candidates, after an absence, and as a new master.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lackingForSshRoom, type SshRoom, sharedStorage, sshRoom } from "./ssh-room.js";

const lacks = await lackingForSshRoom();
if (lacks.length > 0) console.warn(`SKIPPED: ${lacks.join("; ")}`);

const [node1, node2, node3] = ["node1.example.com", "node2.example.com", "node3.example.com"];
const data = "/var/lib/ganeti";
const daemon = "/usr/lib/ganeti-ts/ganeti-ts-noded < /dev/null > /dev/null 2>&1 &";
const server = `${process.execPath} ${join(import.meta.dirname, "../../dist/ganeti-rapi.js")}`;

describe.skipIf(lacks.length > 0)("the copies of a cluster made over ssh", () => {
  let room: SshRoom;
  const on = (machine: string, script: string) => room.on(machine, script);

  beforeAll(async () => {
    room = await sshRoom([node1, node2, node3]);
    await on(
      node1,
      `gnt-cluster init --enabled-hypervisors=fake --enabled-disk-templates=sharedfile --nic-parameters=link=br0 \\
 --shared-file-storage-dir=${sharedStorage} --api-user=jane:read cluster.example.com`,
    );
    for (const node of [node2, node3]) await on(node1, `gnt-node add --no-ssh-key-check ${node}`);
  });
  afterAll(() => room.close());

  const sums = (machine: string): Promise<string> =>
    on(
      machine,
      `cd ${data}; md5sum config.data queue/serial queue/job-*[0-9] queue/ganeti-ts.json ssconf_* rapi/users rapi.pem hmac.key known_hosts`,
    );

  /** Resolves when a machine has the copies of another one. */
  async function copied(from: string, to: string): Promise<void> {
    for (let tries = 0; tries < 1000; tries++) {
      if ((await sums(from)) === (await sums(to))) return;
      await on(to, "sleep 0.2");
    }
    expect(await sums(to)).toBe(await sums(from));
  }

  /** Resolves when a candidate's configuration contains a text: changes follow within a second. */
  const follows = (machine: string, text: string) =>
    on(
      machine,
      `for i in $(seq 600); do grep -q '"${text}"' ${data}/config.data && exit 0; sleep 0.1; done; exit 1`,
    );

  test("candidates hold the configuration, the queue and the ssconf files", async () => {
    await on(node1, "gnt-cluster add-tags first");
    for (const node of [node2, node3]) {
      await follows(node, "first");
      await copied(node1, node);
    }
    expect(await on(node2, `stat -c %a ${data}/config.data ${data}/rapi.pem`)).toBe("640\n600\n");
    expect(await on(node2, `cat ${data}/rapi/users`)).toMatch(/^jane \{HA1\}/);
  });

  const stop =
    "kill $(cat /var/lib/ganeti-ts/rapi.pid); while [ -e /var/lib/ganeti-ts/rapi.pid ]; do sleep 0.1; done";
  const start = `${server} < /dev/null > /var/lib/ganeti-ts/rapi.log 2>&1 & for i in $(seq 300); do [ -e /var/lib/ganeti-ts/rapi.pid ] && exit 0; sleep 0.1; done; cat /var/lib/ganeti-ts/rapi.log >&2; exit 1`;

  test("a cluster that was made before there were copies gets them when its server starts", async () => {
    const lastJob = Number(await on(node1, `cat ${data}/queue/serial`));
    const users = await on(node1, `cat ${data}/rapi/users`);
    await on(node1, `gnt-job archive ${lastJob}; ${stop}`);
    const older = `rm -rf ${data}/config.data* ${data}/queue ${data}/rapi/users ${data}/rapi.pem; ls ${data}/ssconf_* | grep -v -e cluster_name -e master_node -e candidates_certs -e ip_family | xargs rm -f`;
    await on(
      node1,
      `cd /var/lib/ganeti-ts; cp -p ${data}/rapi/users rapi/users; cp ${data}/rapi.pem rapi.pem; rm adopted.json config-data.json; ${older}`,
    );
    for (const node of [node2, node3]) {
      await on(node, `${older}; mkdir -p -m 750 ${data}/queue/archive`);
    }
    await on(node1, start);
    await on(node1, "gnt-cluster add-tags older");
    const files = "queue/serial queue/job-1 rapi/users rapi.pem";
    for (const node of [node2, node3]) {
      await follows(node, "older");
      await on(
        node,
        `cd ${data}; for i in $(seq 600); do ls ${files} > /dev/null 2>&1 && exit 0; sleep 0.1; done; exit 1`,
      );
      await copied(node1, node);
    }
    expect(await on(node2, `cat ${data}/rapi/users`)).toBe(users);
    expect(Number(await on(node2, `cat ${data}/queue/serial`))).toBeGreaterThan(lastJob);
    expect(await on(node2, `ls ${data}/queue`)).toContain(`job-${lastJob - 1}\n`);
    expect(await findings(node1)).toEqual([]);
  });

  /** Lines of verify that report a problem, without what the kernel of this machine itself lacks. */
  async function findings(master: string): Promise<readonly string[]> {
    const { stdout } = await room.run(master, "gnt-cluster verify --error-codes");
    return stdout
      .split("\n")
      .filter((line) => /ERROR|WARNING/.test(line))
      .filter((line) => existsSync("/proc/sysrq-trigger") || !line.includes(":ENODESETUP:"));
  }

  test("verify finds nothing wrong, and a file that differs on a candidate", async () => {
    expect(await findings(node1)).toEqual([]);
    await on(node2, `cp -p ${data}/config.data /run/kept; echo >> ${data}/config.data`);
    expect(await findings(node1)).toEqual([
      expect.stringMatching(/ECLUSTERFILECHECK.*config\.data found with 2 different checksums/),
    ]);
    await on(node2, `cp -p /run/kept ${data}/config.data`);
  });

  test("a candidate that was away gets everything that it has missed", async () => {
    await on(node3, "kill $(cat /run/ganeti/ganeti-ts-noded.pid)");
    for (let n = 0; n < 5; n++) await on(node1, `gnt-cluster add-tags away:${n}`);
    await copied(node1, node2);
    expect(await on(node3, `cat ${data}/config.data`)).not.toContain("away:0");
    await on(node3, `setsid ${daemon}`);
    await copied(node1, node3);
    expect(await on(node3, `cat ${data}/ssconf_cluster_tags`)).toContain("away:4");
  });

  test("a server that returns is elected; with too few voters it is not", async () => {
    await on(node1, stop);
    await on(
      node2,
      `chmod u+w ${data}/ssconf_master_node; echo ${node3} > ${data}/ssconf_master_node`,
    );
    await on(
      node3,
      `chmod u+w ${data}/ssconf_master_node; echo ${node3} > ${data}/ssconf_master_node`,
    );
    const lost = await room.run(node1, server);
    expect([lost.code, lost.stderr]).toEqual([
      11,
      expect.stringContaining("Voting cannot be won by node1.example.com"),
    ]);
    for (const node of [node2, node3]) {
      await on(node, `echo ${node1} > ${data}/ssconf_master_node`);
    }
    await on(node1, start);
    expect(await on(node1, "gnt-cluster getmaster")).toBe(`${node1}\n`);
  });

  test("another candidate becomes the master when the first machine has died", async () => {
    await on(
      node1,
      "gnt-instance add -t sharedfile -s 1g -o debian+small --no-install --no-start -n node1.example.com --no-ip-check --no-name-check web.example.com",
    );
    await on(node1, "gnt-cluster add-tags before:death");
    await follows(node2, "before:death");
    // As if the old master had died between two candidates: a job that only one of them has.
    await on(
      node3,
      `cd ${data}/queue; n=$(cat serial); sed "s/\\"id\\":$n,/\\"id\\":$((n + 1)),/" job-$n > job-$((n + 1))`,
    );
    await on(node2, `cd ${data}/queue; echo $(($(cat serial) + 1)) > serial`);
    await on(
      node1,
      "kill -9 $(cat /var/lib/ganeti-ts/rapi.pid) $(cat /run/ganeti/ganeti-ts-noded.pid); ip link set eth0 down",
    );
    expect(await on(node2, "gnt-cluster master-failover")).toContain("This node is the master");
    expect(await on(node2, "gnt-cluster list-tags")).toContain("before:death");
    expect(await on(node2, "gnt-instance list --no-headers -o name,pnode")).toMatch(
      /^web\.example\.com +node1\.example\.com\n$/,
    );
    expect(await on(node2, "gnt-cluster getmaster")).toBe(`${node2}\n`);
    await on(node2, "gnt-cluster add-tags after:death");
    await follows(node3, "after:death");
    await copied(node2, node3);
    expect(await on(node2, `cat ${data}/rapi/users`)).toMatch(/^jane \{HA1\}/);
    // The old server comes back and sees another master.
    await on(node1, `ip addr del 192.0.2.10/32 dev br0; ip link set eth0 up; setsid ${daemon}`);
    const old = await room.run(node1, server);
    expect([old.code, old.stderr]).toEqual([
      11,
      expect.stringMatching(/Voting cannot be won|Couldn't gather voting|names node2/),
    ]);
    await on(node2, `gnt-node modify --master-candidate=yes ${node1}`);
    await copied(node2, node1);
  });

  /** The master has removed the name of a former node from its hosts file. */
  const named = `grep -q ${node3} /etc/hosts || echo 192.0.2.13 ${node3} >> /etc/hosts`;

  /** Lets root of the master log in on a machine that the cluster has released. */
  async function letIn(): Promise<void> {
    const key = (await on(node2, "cat ~root/.ssh/id_rsa.pub")).trim();
    await on(node3, `echo '${key}' >> ~root/.ssh/authorized_keys`);
  }

  test("the new master prepares and releases machines as the first one did", async () => {
    const key = (await on(node3, "cut -d ' ' -f 2 ~root/.ssh/id_rsa.pub")).trim();
    expect(await on(node2, `gnt-node remove ${node3}`)).not.toContain("WARNING");
    expect(await on(node3, `find ${data} -type f`)).toBe("");
    expect(await on(node1, "cat ~root/.ssh/authorized_keys")).not.toContain(key);
    expect(await on(node3, "cat ~root/.ssh/authorized_keys")).toBe("");
    await letIn();
    await on(node2, `${named}; gnt-node add --no-ssh-key-check ${node3}`);
    await copied(node2, node3);
    expect(await findings(node2)).toEqual([]);
  });

  test("a node that is away when it is removed is named, and cleared when it is added again", async () => {
    await on(node3, "ip link set eth0 down");
    await on(node2, `gnt-node modify --offline=yes ${node3}`);
    const removed = await room.run(node2, `gnt-node remove ${node3}`);
    expect([removed.code, removed.stdout]).toEqual([
      0,
      expect.stringContaining(
        "WARNING: node3.example.com keeps its daemon and its files of the cluster",
      ),
    ]);
    await on(node3, `ip link set eth0 up; touch ${data}/queue/job-77`);
    expect(await on(node3, `ls ${data}`)).toContain("config.data");
    expect(await on(node2, `${named}; gnt-node add --no-ssh-key-check ${node3}`)).toContain(
      "node3.example.com was a node of this cluster before",
    );
    await copied(node2, node3);
    expect(await on(node3, `ls ${data}/queue`)).not.toContain("job-77");
    expect(await findings(node2)).toEqual([]);
  });

  test("readd sends all files again to an offline node that was set up anew", async () => {
    await on(node2, `gnt-node modify --offline=yes ${node3}`);
    await on(node3, `kill $(cat /run/ganeti/ganeti-ts-noded.pid); rm -rf ${data} /run/ganeti/*`);
    await on(node2, `gnt-node add --readd --no-ssh-key-check ${node3}`);
    await copied(node2, node3);
    expect(await on(node2, "gnt-node list --no-headers -o name,role")).toMatch(
      /^node1\S+ +C\nnode2\S+ +M\nnode3\S+ +C\n$/,
    );
    expect(await findings(node2)).toEqual([]);
  });

  test("a machine of another cluster is refused and left as it is", async () => {
    await on(node2, `gnt-node remove ${node3}`);
    await letIn();
    await on(
      node3,
      `echo other > ${data}/server.pem; echo other.example.com > ${data}/ssconf_cluster_name`,
    );
    const refused = await room.run(node2, `${named}; gnt-node add --no-ssh-key-check ${node3}`);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("belongs to the cluster other.example.com already"),
    ]);
    expect(await on(node3, `cat ${data}/server.pem`)).toBe("other\n");
  });
});
