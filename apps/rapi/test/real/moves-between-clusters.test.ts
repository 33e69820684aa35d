// Instances that move between two clusters on our daemons, with the jobs that Ganeti's move-instance submits.
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clusterOn, type DrivenCluster, type DrivenNodes, drivenNodes } from "./driven-nodes.js";

const lacks = ["/usr/bin/socat", "/usr/bin/openssl"].filter((path) => !existsSync(path));

interface Side {
  readonly nodes: DrivenNodes;
  readonly driven: DrivenCluster;
}

describe.skipIf(lacks.length > 0)("an instance that moves to another cluster [needs socat]", () => {
  const sides: Side[] = [];
  beforeAll(async () => {
    for (let side = 0; side < 2; side++) {
      const nodes = await drivenNodes("stand-in-nodes");
      sides.push({ nodes, driven: await clusterOn(nodes) });
    }
  });
  afterAll(async () => {
    for (const { driven, nodes } of sides) {
      await driven.close();
      await nodes.close();
    }
  });

  const sizeMib = 8;
  const instance = (name: string, os: string, more: JsonObject): JsonObject => ({
    ...{ OP_ID: "OP_INSTANCE_CREATE", instance_name: name, os_type: `${os}+default` },
    ...{
      disk_template: "file",
      disks: [{ size: sizeMib }],
      nics: [{}],
      pnode: "node1.example.com",
    },
    ...{ start: false, ip_check: false, name_check: false, ignore_ipolicy: true },
    ...more,
  });

  /** File with the only disk of an instance. */
  function diskOf({ driven }: Side, name: string): string {
    const now = driven.cluster.snapshot();
    const [disk] = now.disksOf(now.expectInstance(name));
    return String(disk?.logical_id?.[1]);
  }

  /** Outcomes of the export and the import. */
  async function move(name: string, os: string) {
    const [home, away] = sides as [Side, Side];
    const prepare = { OP_ID: "OP_BACKUP_PREPARE", instance_name: name, mode: "remote" };
    const prepared = (await home.driven.done(prepare)) as JsonObject;
    const { queue } = away.driven.cluster;
    const job = await queue.submit([
      instance(name, os, {
        ...{ mode: "remote-import", source_instance_name: name },
        ...{ source_handshake: prepared.handshake, source_x509_ca: prepared.x509_ca },
      } as JsonObject),
    ]);
    const announced = async () => {
      const [row] = await queue.query([job], ["oplog"]);
      const [log = []] = (row?.[0] ?? []) as unknown as (readonly (readonly Json[])[])[];
      return log.find(([, , type]) => type === "remote-import")?.[3] as JsonObject | undefined;
    };
    await expect.poll(announced).toBeDefined();
    const { disks: target_node = [], x509_ca: destination_x509_ca } = (await announced()) ?? {};
    const exporting = {
      ...{ OP_ID: "OP_BACKUP_EXPORT", instance_name: name, mode: "remote", remove_instance: true },
      ...{ target_node, x509_key_name: prepared.x509_key_name, destination_x509_ca },
    } as JsonObject;
    const { queue: own } = home.driven.cluster;
    const exported = await own.ended(await own.submit([exporting]));
    return { exported, imported: await queue.ended(job) };
  }

  test("arrives with the content of its disk, and is removed from its former cluster", async () => {
    const [home, away] = sides as [Side, Side];
    const name = "web.example.com";
    await home.driven.done(instance(name, "copied", { mode: "create" }));
    const content = randomBytes(sizeMib * 1024 ** 2);
    writeFileSync(diskOf(home, name), content);
    const { exported, imported } = await move(name, "copied");
    expect([exported.status, imported.status]).toEqual(["success", "success"]);
    const sum = (data: Buffer) => createHash("sha256").update(data).digest("hex");
    expect(sum(readFileSync(diskOf(away, name)))).toBe(sum(content));
    expect(home.driven.cluster.snapshot().findInstance(name)).toBeUndefined();
  });

  test("stays where it is if its OS exports no data, and both jobs fail", async () => {
    const [home] = sides as [Side, Side];
    const name = "empty.example.com";
    await home.driven.done(instance(name, "noop", { mode: "create" }));
    const { exported, imported } = await move(name, "noop");
    expect([exported.status, imported.status]).toEqual(["error", "error"]);
    expect(JSON.stringify(imported.results)).toContain("were not imported successfully");
    expect(existsSync(diskOf(home, name))).toBe(true);
  });
});
