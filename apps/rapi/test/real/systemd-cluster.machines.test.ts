// A cluster of two machines with systemd, LVM and DRBD, made by gnt-cluster init and gnt-node add over ssh: QEMU guests in which
// instances are QEMU processes as well. The programs of apps/gnt, apps/rapi and apps/noded must have been built.
// GANETI_TS_SYSTEMD=short asks for it, because it takes from four to nine minutes; GANETI_TS_SYSTEMD=all also migrates the instance
// there and back, and takes the cluster down again.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DrivenNodes, drivenNodes } from "./driven-nodes.js";
import { guestsProblem, until } from "./guest-cluster.js";

const repository = join(import.meta.dirname, "../../../..");
const built = ["apps/gnt/dist/gnt-cluster.js", "apps/rapi/dist/ganeti-rapi.js"];
const missing = [...built, "apps/noded/dist/ganeti-ts-noded.js"].filter(
  (path) => !existsSync(join(repository, path)),
);
const asked = process.env.GANETI_TS_SYSTEMD;
const problem =
  (asked === undefined ? "GANETI_TS_SYSTEMD=short or all asks for it" : guestsProblem) ??
  (missing.length > 0 ? `${missing} is not built` : undefined);
if (problem !== undefined) console.warn(`SKIPPED: clusters under systemd: ${problem}`);

const [node1, node2] = ["node1.example.com", "node2.example.com"];
const web = "web.example.com";
const sizeMib = 64;
const isWhole = asked === "all";

describe.skipIf(problem !== undefined)("a cluster of machines with systemd", () => {
  let nodes: DrivenNodes;
  const sent = async (node: string, line: string): Promise<string> => {
    const { output } = await nodes.command({ node: node === node1 ? 0 : 1, shell: line });
    return String(output);
  };
  const environment =
    "HOME=~root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1";
  /** Output of a script that must succeed; it has the environment of a login. */
  const on = async (node: string, script: string): Promise<string> => {
    const output = await sent(
      node,
      `export ${environment}
{ ${script}\n} 2>&1; echo "code $?"`,
    );
    const [, text = "", code] = /^([\s\S]*)code (\d+)\n$/.exec(output) ?? [];
    expect([script, code, code === "0" ? "" : output]).toEqual([script, "0", ""]);
    return text;
  };
  const booted = (node: string) =>
    until(
      () => sent(node, "systemctl is-active payload ssh"),
      (state) => state === "active\nactive\n",
    );

  beforeAll(async () => {
    nodes = await drivenNodes("guest-pair", [repository]);
    for (const node of [node1, node2]) await booted(node);
    await on(
      node1,
      "umask 077; mkdir -p ~root/.ssh; ssh-keygen -q -t rsa -N '' -f ~root/.ssh/id_rsa",
    );
    const key = (await on(node1, "cat ~root/.ssh/id_rsa.pub")).trim();
    await on(node2, `umask 077; mkdir -p ~root/.ssh; echo '${key}' > ~root/.ssh/authorized_keys`);
  });
  afterAll(async () => {
    if (process.env.GANETI_TS_GUEST_CONSOLE) {
      for (const node of [0, 1])
        console.log((await nodes.command({ node, read: "console" })).output);
    }
    await nodes?.close();
  });

  // Debian's drbd-utils have loaded the module with a helper of their own.
  const helper = "cat /sys/module/drbd/parameters/usermode_helper";
  const unitOf = (node: string) =>
    on(node, "systemctl show -p ActiveState,SubState,Result ganeti-ts-noded | sort");
  const state = (active: string, result: string, sub: string) =>
    `ActiveState=${active}\nResult=${result}\nSubState=${sub}\n`;
  const qemus = async (node: string) =>
    (await on(node, "pgrep -f '[q]emu-system.*-name web' || true")).trim();

  async function expectUnit(node: string): Promise<void> {
    expect(await unitOf(node)).toBe(state("active", "success", "running"));
    expect(await on(node, "systemctl is-enabled ganeti-ts-noded")).toBe("enabled\n");
    expect(await on(node, helper)).toBe("/bin/true\n");
  }

  test("init starts the daemon as a unit that is enabled", async () => {
    expect(await on(node1, helper)).toBe("/sbin/drbdadm\n");
    await on(
      node1,
      `gnt-cluster init --enabled-hypervisors=kvm --enabled-disk-templates=drbd,plain --vg-name=xenvg \\
 -H kvm:kernel_path=,kvm_path=/usr/bin/qemu-system-x86_64,kvm_flag=disabled,vhost_net=false cluster.example.com`,
    );
    await expectUnit(node1);
  });

  test("node add starts the daemon of the other machine in the same way", async () => {
    expect(await on(node1, `gnt-node add --no-ssh-key-check ${node2}`)).toContain(
      "the node daemon of node2.example.com answers",
    );
    await expectUnit(node2);
  });

  const sum = async (node: string) =>
    (
      await on(node, `dd if=/dev/drbd0 bs=1M count=${sizeMib} iflag=direct 2> /dev/null | md5sum`)
    ).trim();

  let content = "";
  test("an instance on a mirror is created", async () => {
    await on(
      node1,
      `gnt-instance add -t drbd -s ${sizeMib}m -o noop+default -n ${node2}:${node1} --no-nics --no-ip-check --no-name-check \\
 -B memory=32 --ignore-ipolicy ${web}`,
    );
    await on(
      node2,
      "dd if=/dev/urandom of=/dev/drbd0 bs=1M count=16 seek=8 oflag=direct conv=notrunc",
    );
    content = await sum(node2);
    expect([await qemus(node1), await qemus(node2)]).toEqual(["", expect.stringMatching(/^\d+$/)]);
  });

  test.skipIf(!isWhole)(
    "it is migrated and migrated back, and its content follows it",
    async () => {
      for (const [from, to] of [
        [node2, node1],
        [node1, node2],
      ] as const) {
        await on(node1, `gnt-instance migrate -f ${web}`);
        expect(await on(node1, "gnt-instance list --no-headers -o pnode,status")).toMatch(
          new RegExp(`^${to} +running\n$`),
        );
        expect([await qemus(from), await qemus(to)]).toEqual(["", expect.stringMatching(/^\d+$/)]);
        expect(await sum(to)).toBe(content);
      }
    },
  );

  test("an instance survives a restart and a stop of the daemon's unit", async () => {
    const pid = await qemus(node2);
    const daemon = () => on(node2, "systemctl show -P MainPID ganeti-ts-noded");
    const before = await daemon();
    await on(node2, "systemctl restart ganeti-ts-noded");
    expect(await daemon()).not.toBe(before);
    await on(node2, "systemctl stop ganeti-ts-noded");
    expect(await unitOf(node2)).toBe(state("inactive", "success", "dead"));
    expect(await qemus(node2)).toBe(pid);
    expect(await on(node1, `gnt-instance list --no-headers -o status ${web}`)).toContain(
      "nodedown",
    );
    await on(node2, "systemctl start ganeti-ts-noded");
    await until(
      () => on(node1, `gnt-instance list --no-headers -o status ${web}`),
      (status) => status === "running\n",
    );
    expect(await qemus(node2)).toBe(pid);
    // A daemon that dies is started again.
    const killed = await daemon();
    await on(node2, "systemctl kill -s KILL --kill-who=main ganeti-ts-noded");
    await until(daemon, (found) => found !== killed && found !== "0\n");
    await until(
      () => unitOf(node2),
      (found) => found === state("active", "success", "running"),
    );
    expect(await qemus(node2)).toBe(pid);
  });

  test("the server runs as the unit that it prints, and is stopped cleanly", async () => {
    await on(
      node1,
      `ganeti-rapi --print-unit > /etc/systemd/system/ganeti-ts-rapi.service
kill $(cat /var/lib/ganeti-ts/rapi.pid); while kill -0 $(cat /var/lib/ganeti-ts/rapi.pid 2> /dev/null) 2> /dev/null; do sleep 0.2; done
systemctl daemon-reload && systemctl enable --now --quiet ganeti-ts-rapi`,
    );
    const answer = () => sent(node1, "/usr/local/bin/gnt-cluster getmaster 2>&1");
    expect(await until(answer, (text) => text === `${node1}\n`)).toBe(`${node1}\n`);
    await on(node1, "systemctl stop ganeti-ts-rapi");
    expect(await on(node1, "systemctl show -P ActiveState ganeti-ts-rapi")).toBe("inactive\n");
    expect(await on(node1, "systemctl show -P Result ganeti-ts-rapi")).toBe("success\n");
    await on(node1, "systemctl start ganeti-ts-rapi");
    await until(answer, (text) => text === `${node1}\n`);
  });

  test("after a boot both units run, and the instance can be failed over", async () => {
    await sent(node1, "systemctl reboot");
    await nodes.command({ node: 0, power: "on" });
    await booted(node1);
    expect(await on(node1, helper)).toBe("/bin/true\n");
    const status = () =>
      sent(node1, `/usr/local/bin/gnt-instance list --no-headers -o status ${web} 2>&1`);
    await until(status, (text) => text === "running\n");
    await on(node1, `gnt-instance activate-disks --wait-for-sync ${web}`);
    await on(node1, `gnt-instance failover -f --shutdown-timeout=0 ${web}`);
    expect(await on(node1, "gnt-instance list --no-headers -o pnode,status")).toMatch(
      /^node1\.example\.com +running\n$/,
    );
    expect(await sum(node1)).toBe(content);
  });

  test.skipIf(!isWhole)(
    "the instance is removed, the machines leave the cluster, and their units end",
    async () => {
      await on(node1, `gnt-instance remove -f --shutdown-timeout=0 ${web}`);
      for (const node of [node1, node2]) {
        expect(await on(node, "lvs --noheadings xenvg")).toBe("");
        expect(await on(node, "grep cs: /proc/drbd || true")).not.toContain("Connected");
      }
      await on(node1, `gnt-node remove ${node2}`);
      await until(
        () => sent(node2, "systemctl is-active ganeti-ts-noded"),
        (state) => state === "inactive\n",
      );
      await on(node1, "gnt-cluster destroy --yes-do-it");
      expect(await sent(node1, "systemctl is-active ganeti-ts-noded ganeti-ts-rapi")).toBe(
        "inactive\ninactive\n",
      );
    },
  );
});
