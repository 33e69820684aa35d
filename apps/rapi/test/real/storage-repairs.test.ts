// Automated repairs end to end on our own daemons: their machines are stand-ins with simulated LVM and DRBD. The harep
// of apps/hail must have been built.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  clusterOn,
  type DrivenCluster,
  type DrivenNodes,
  drivenNodes,
  harep,
  harepProblem,
} from "./driven-nodes.js";

if (harepProblem !== undefined) console.warn(`SKIPPED: repairs on our daemons: ${harepProblem}`);

const [node1, node2, node3] = [1, 2, 3].map((number) => `node${number}.example.com`) as [
  string,
  string,
  string,
];
const web = "web.example.com";

describe.skipIf(harepProblem !== undefined)("automated repairs on our daemons", () => {
  let nodes: DrivenNodes;
  let driven: DrivenCluster;
  beforeEach(async () => {
    nodes = await drivenNodes("stand-in-nodes");
    driven = await clusterOn(nodes);
    await driven.done({
      ...{ OP_ID: "OP_INSTANCE_CREATE", mode: "create", instance_name: web, disk_template: "drbd" },
      ...{
        disks: [{ size: 1024 }],
        nics: [{}],
        os_type: "noop+default",
        pnode: node1,
        snode: node2,
      },
      ...{ ip_check: false, name_check: false },
    });
    const tags = ["ganeti:watcher:autorepair:failover"];
    await driven.done({ OP_ID: "OP_TAGS_SET", kind: "cluster", tags });
  });
  afterEach(async () => {
    await driven?.close();
    await nodes?.close();
  });

  const repair = async (): Promise<string> => {
    const args = [harep, `-L${driven.luxiPath}`, "--job-delay=0", "--storage"];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  };

  /** Runs harep until no repair is pending; gives the outputs. */
  async function repairAll(): Promise<readonly string[]> {
    const outputs: string[] = [];
    do outputs.push(await repair());
    while (outputs.length < 20 && /Pending/.test(outputs.at(-1) ?? ""));
    return outputs;
  }

  const statuses = async () => {
    const data = await driven.done({ OP_ID: "OP_INSTANCE_QUERY_DATA", instances: [web] });
    return (data as Record<string, { disk_status: unknown }>)[web]?.disk_status;
  };
  const units = (node: string) =>
    driven.done({
      ...{ OP_ID: "OP_NODE_QUERY_STORAGE", storage_type: "lvm-pv", nodes: [node] },
      output_fields: ["name", "allocatable"],
    });
  const carrier = async (node: string) => {
    const fields = { nodes: [node], output_fields: ["phys"] };
    const rows = await driven.done({ OP_ID: "OP_NODE_QUERYVOLS", ...fields });
    return (rows as string[][])[0]?.[0] ?? "";
  };
  const fail = async (at: number, isMissing: boolean) => {
    const device = await carrier([node1, node2, node3][at] as string);
    await nodes.command({ node: at, device, isMissing });
    return device;
  };

  test("a device with errors is closed, and the copy is made again on another device of its node", async () => {
    const device = await fail(1, false);
    expect(await statuses()).toEqual([
      [0, node1, "primary", "ok"],
      [0, node2, "secondary", "faulty"],
    ]);
    const outputs = await repairAll();
    expect(outputs[0]).toContain(
      `Storage: ${device} of ${node2} carries lost copies of ${web}: it is closed for new disks\nDone\n` +
        `Reason: ${web} has lost its copy of disk 0 on its secondary ${node2}, which has room: the copy is made again there\n`,
    );
    expect(outputs.at(-1)).toContain("Healthy: 1");
    expect(await statuses()).toEqual([
      [0, node1, "primary", "ok"],
      [0, node2, "secondary", "ok"],
    ]);
    expect(await units(node2)).toContainEqual([device, false]);
    expect(await carrier(node2)).not.toBe(device);
  });

  test("a group that misses a device is repaired, and the copy made again on the rest of it", async () => {
    await fail(0, true);
    expect(await statuses()).toEqual([
      [0, node1, "primary", "faulty"],
      [0, node2, "secondary", "ok"],
    ]);
    expect(await units(node1)).toContainEqual(["[unknown]", false]);
    const outputs = await repairAll();
    expect(outputs[0]).toContain(
      `Storage: ${node1} misses 1 physical volume: volume group xenvg is made consistent, without what is lost\nDone\n`,
    );
    expect(outputs.at(-1)).toContain("Healthy: 1");
    expect(await statuses()).toEqual([
      [0, node1, "primary", "ok"],
      [0, node2, "secondary", "ok"],
    ]);
    expect(await units(node1)).toHaveLength(1);
  });
});
