// Automated repairs where LVM and DRBD are real: a device of a QEMU guest begins to fail, and harep restores the mirror.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { harep, harepProblem } from "./driven-nodes.js";
import { type GuestCluster, guestCluster, guestsProblem, nodeNames } from "./guest-cluster.js";

const problem = harepProblem ?? guestsProblem;
if (problem !== undefined) console.warn(`SKIPPED: repairs in guests: ${problem}`);

const [node1, node2] = nodeNames;
const web = "web.example.com";

/** The second device of a guest becomes a mapped one, which can be made to fail; the first takes no volumes meanwhile. */
const mapDevice = `vgreduce -q xenvg /dev/vdd && pvremove -q /dev/vdd
SECTORS=$(($(blockdev --getsz /dev/vdd) - 8192))
dmsetup create --noudevsync bad --table "0 $SECTORS linear /dev/vdd 8192" && dmsetup mknodes && pvcreate -q /dev/mapper/bad
vgextend -q xenvg /dev/mapper/bad && pvchange -q --allocatable n /dev/vdc; pvs`;

const breakDevice = `dmsetup suspend --noudevsync --noflush bad
dmsetup load bad --table "0 $(blockdev --getsz /dev/mapper/bad) error"; dmsetup resume --noudevsync bad`;

describe.skipIf(problem !== undefined)("automated repairs with real LVM and DRBD", () => {
  let cluster: GuestCluster;

  beforeAll(async () => {
    cluster = await guestCluster();
  });
  afterAll(() => cluster?.close());

  const repair = async (): Promise<string> => {
    const args = [harep, `-L${cluster.driven.luxiPath}`, "--job-delay=0", "--storage"];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  };

  test("a mirror survives the failure of its secondary's device and gets a new copy with equal content", async () => {
    const { driven, shell, statuses, sum } = cluster;
    expect(await shell(node2, mapDevice)).toMatch(/\/dev\/mapper\/bad\s+xenvg/);
    await driven.done({
      ...{ OP_ID: "OP_INSTANCE_CREATE", mode: "create", instance_name: web, disk_template: "drbd" },
      ...{ disks: [{ size: 128 }], nics: [], pnode: node1, snode: node2 },
      ...{ ip_check: false, name_check: false, ignore_ipolicy: true, os_type: "noop+default" },
      beparams: { maxmem: 32, minmem: 32 },
    });
    await shell(node2, "pvchange -q --allocatable y /dev/vdc");
    const tags = ["ganeti:watcher:autorepair:fix-storage"];
    await driven.done({ OP_ID: "OP_TAGS_SET", kind: "cluster", tags });
    await shell(node1, "dd if=/dev/urandom of=/dev/drbd0 bs=1M count=16 oflag=direct");
    const before = await sum(web, node1);

    await shell(node2, breakDevice);
    // A write reaches the secondary, which detaches its storage at the error.
    await shell(node1, "dd if=/dev/drbd0 of=/dev/drbd0 bs=1M count=16 oflag=direct conv=notrunc");
    expect(await statuses(web)).toEqual([
      [0, node1, "primary", "ok"],
      [0, node2, "secondary", "faulty"],
    ]);

    const outputs: string[] = [];
    do outputs.push(await repair());
    while (outputs.length < 60 && /Pending/.test(outputs.at(-1) ?? ""));
    expect(outputs[0]).toContain(
      `Storage: ${node2} misses 1 physical volume: volume group xenvg is made consistent, without what is lost\nDone\n` +
        `Reason: ${web} has lost its copy of disk 0 on its secondary ${node2}, which has room`,
    );
    expect(outputs.at(-1)).toContain("Healthy: 1");
    expect(await statuses(web)).toEqual([
      [0, node1, "primary", "ok"],
      [0, node2, "secondary", "ok"],
    ]);
    expect(await sum(web, node1)).toBe(before);
    expect(await shell(node2, "pvs --noheadings -o pv_name,vg_name")).not.toContain("unknown");
    // The new copy alone has the same content.
    await driven.done({ OP_ID: "OP_INSTANCE_FAILOVER", instance_name: web, ignore_ipolicy: true });
    expect(await sum(web, node2)).toBe(before);
  });
});
