// Machines that lose their power, and daemons that get SIGKILL, in the middle of changes of a mirror with real LVM and DRBD.
// The suite takes every third case, GANETI_FAULTS=all takes each.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type GuestCluster,
  guestCluster,
  guestsProblem,
  nodeNames,
  until,
} from "./guest-cluster.js";
import {
  activation,
  type Case,
  cases,
  creation,
  failover,
  migration,
  removal,
  startup,
  synchronisation,
  web,
} from "./power-loss-cases.js";

if (guestsProblem !== undefined) console.warn(`SKIPPED: faults in guests: ${guestsProblem}`);

const [node1, node2] = nodeNames;
const chosen = cases.filter((_, at) => at % 3 === 0 || process.env.GANETI_FAULTS === "all");

describe.skipIf(guestsProblem !== undefined)("changes of a mirror on real LVM and DRBD", () => {
  let cluster: GuestCluster;
  const done = (opcode: Case["opcode"]) => cluster.driven.done(opcode);

  beforeAll(async () => {
    cluster = await guestCluster();
    await done(creation(web, true));
    await write(node2);
  });
  afterAll(() => cluster?.close());

  const other = (node: string) => nodeNames.find((name) => name !== node) ?? "";
  const primary = (): string => {
    const now = cluster.now();
    return now.node(now.findInstance(web)?.primary_node as never)?.name ?? "";
  };
  /** New content for a quarter of the disk. */
  const write = (node: string) =>
    cluster.shell(
      node,
      `dd if=/dev/urandom of=${cluster.device(web, node)} bs=1M count=16 oflag=direct conv=notrunc`,
    );

  /** Volumes and mirrors of a node, and links to its disks. */
  async function found(node: string) {
    const lines = async (line: string) =>
      (await cluster.shell(node, `${line} 2> /dev/null`))
        .split("\n")
        .flatMap((one) => one.trim() || [])
        .sort();
    return {
      volumes: await lines("lvs --noheadings -o lv_name xenvg"),
      minors: await lines("sed -n '/Unconfigured/d; s/^ *\\([0-9]*\\): cs:.*/\\1/p' /proc/drbd"),
      links: await lines("ls /var/run/ganeti/instance-disks"),
      programs: await lines("ls /var/run/ganeti/ganeti-ts-programs"),
    };
  }
  function expected(node: string) {
    const now = cluster.now();
    const disks = [...now.instances()].flatMap((one) => now.disksOf(one));
    const uuid = now.findNode(node)?.uuid as never;
    return {
      volumes: disks
        .flatMap(({ children = [] }) => children.map(({ logical_id: id = [] }) => id[1]))
        .sort(),
      minors: now.minorsOf(uuid).map(([minor]) => String(minor)),
      links: primary() === node ? [`${web}:0`] : [],
      programs: [],
    };
  }

  /** The mirror is complete, both of its copies have the content, and nothing else is on the nodes. */
  async function expectWhole(sum: string): Promise<void> {
    const at = primary();
    expect(await cluster.statuses(web)).toEqual([
      [0, at, "primary", "ok"],
      [0, other(at), "secondary", "ok"],
    ]);
    expect(await cluster.sum(web, at)).toBe(sum);
    for (const node of nodeNames)
      expect([node, await cluster.sum(web, node, "volume")]).toEqual([node, sum]);
    // Recovery removes what jobs could not remove.
    await until(
      async () => [...cluster.now().claims()],
      ({ length }) => length === 0,
    );
    for (const node of nodeNames) expect([node, await found(node)]).toEqual([node, expected(node)]);
  }

  test.each(chosen.map((one) => [one.title, one] as const))("%s", async (_, one) => {
    const { opcode, on, trap, error, written, repairs } = one;
    const sides = { primary: primary(), secondary: other(primary()) };
    const node = sides[on];
    let sum = await cluster.sum(web, sides.primary);
    await cluster.set(node, trap);
    const ended = await cluster.run(opcode);
    expect(ended.status).toBe(error === null ? "success" : "error");
    expect(JSON.stringify(ended.result)).toContain(error ?? "");
    if (trap.fault === "power") await cluster.powerOn(node);
    if (written !== undefined) {
      await write(sides[written]);
      sum = await cluster.sum(web, sides[written]);
    }
    await cluster.ready(node);
    for (const repair of repairs) await done(repair);
    await expectWhole(sum);
  });

  const drbdsetup = (node: string, words: string) =>
    cluster.shell(
      node,
      `drbdsetup ${words.replace("MINOR", cluster.device(web, node).slice("/dev/drbd".length))}`,
    );
  const synced = async (node: string) =>
    Number(/sync'ed: *([\d.]+)%/.exec(await cluster.shell(node, "cat /proc/drbd"))?.[1]);

  /** A synchronisation under way, of `kibPerSecond`, after `absent` while the secondary was not connected. */
  async function synchronising(kibPerSecond: number, absent: () => Promise<unknown>) {
    const at = primary();
    await drbdsetup(at, "pause-sync MINOR");
    await absent();
    // The activation would resume it, before it is slow.
    const resumption = { program: "drbdsetup", words: "resume-sync*" };
    await cluster.set(at, { ...resumption, moment: "before", fault: "skipped" });
    await done(activation);
    await drbdsetup(other(at), `disk-options MINOR --resync-rate ${kibPerSecond}`);
    await drbdsetup(at, "resume-sync MINOR");
    await until(
      () => synced(at),
      (percent) => percent > 0 && percent < 100,
    );
  }
  /** Disconnects the secondary, and writes to the primary. */
  const disconnected = async () => {
    const at = primary();
    await drbdsetup(other(at), "down resourceMINOR");
    await write(at);
    return cluster.sum(web, at);
  };
  const rebooted = async (node: string) => {
    await cluster.powerOff(node);
    await cluster.powerOn(node);
    await cluster.ready(node);
  };

  test("a job that waits for a synchronisation goes on when the primary's daemon is killed", async () => {
    const at = primary();
    let sum = "";
    await synchronising(1024, async () => {
      sum = await disconnected();
    });
    const ended = await cluster.run(synchronisation, async (log) => {
      if (!log.some((line) => line.includes("% done"))) return false;
      await cluster.shell(at, "kill -9 $(cat /var/run/ganeti/ganeti-ts-noded.pid)");
      return true;
    });
    expect(ended.status).toBe("success");
    await expectWhole(sum);
  });

  test("a synchronisation goes on after a loss of power of its target, and of its source, which stays primary", async () => {
    const at = primary();
    let sum = "";
    await synchronising(512, async () => {
      sum = await disconnected();
    });
    await synchronising(512, () => rebooted(other(at)));
    await cluster.powerOff(at);
    const refused = await cluster.run(failover);
    expect([refused.status, JSON.stringify(refused.result)]).toEqual([
      "error",
      expect.stringContaining("Disk 0 is degraded on target node, aborting failover"),
    ]);
    await cluster.powerOn(at);
    await cluster.ready(at);
    await done(startup);
    await done(synchronisation);
    expect(primary()).toBe(at);
    await expectWhole(sum);
  });

  test("an instance whose primary is without power is failed over, and its old node joins again", async () => {
    if (primary() !== node2) await done(migration);
    const before = await cluster.sum(web, node2);
    await cluster.powerOff(node2);
    const offline = (is: boolean) =>
      done({
        OP_ID: "OP_NODE_SET_PARAMS",
        node_name: node2,
        offline: is,
        ...(is && { master_candidate: false }),
      });
    await offline(true);
    await done(failover);
    expect(await cluster.sum(web, node1)).toBe(before);
    await write(node1);
    const sum = await cluster.sum(web, node1);
    await cluster.powerOn(node2);
    await cluster.ready(node2);
    await offline(false);
    await done(synchronisation);
    await expectWhole(sum);
  });

  test("nothing is left of the instance when it has been removed", async () => {
    await done(removal(web));
    const nothing = { volumes: [], minors: [], links: [], programs: [] };
    for (const node of nodeNames) expect([node, await found(node)]).toEqual([node, nothing]);
  });
});
