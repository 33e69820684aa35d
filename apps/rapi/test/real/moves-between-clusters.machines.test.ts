// An instance that moves between two clusters by the requests of Ganeti's move-instance, and its guest, which has its disk.
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { guestSystem } from "../../src/demo/real/guest-system.js";
import { lackingForRealNodes } from "../../src/demo/real/outer.js";
import { requestOf } from "./action.js";
import {
  type ActionRoom,
  actionRoom,
  type EndedJob,
  makeCluster,
  type Qemu,
} from "./action-cluster.js";

const lacks = await lackingForRealNodes({ system: undefined });
if (lacks.length > 0) console.warn(`SKIPPED: ${lacks.join("; ")}`);

const [home, away] = ["node1.example.com", "node2.example.com"] as const;
const clusters = { "one.example.com": home, "two.example.com": away };
const web = "web.example.com";
const secret = "/var/lib/ganeti/cluster-domain-secret";
const nic = { mac: "aa:00:00:00:00:01", link: "br0" };

describe.skipIf(lacks.length > 0)("an instance that moves to another cluster", () => {
  let room: ActionRoom;
  beforeAll(async () => {
    room = await actionRoom([home, away], Object.keys(clusters));
    for (const [name, node] of Object.entries(clusters)) {
      await makeCluster(room.on, name, [node]);
      await room.on(
        node,
        `umask 077; echo 0123456789abcdef0123456789abcdef > ${secret}; gnt-cluster redist-conf`,
      );
    }
  });
  afterAll(() => room?.close());

  const request = (node: string, method: string, path: string, body?: JsonObject) =>
    room.ask<Json>(node, { ask: "request", method, path, ...(body && { body }) });

  /** Result of the job of a request, or of a job that was submitted. */
  async function done(node: string, wanted: JsonObject): Promise<Json> {
    const { status, result, log } = await room.ask<EndedJob>(node, { ask: "job", ...wanted });
    const failure = status === "success" ? [] : [result, ...log];
    expect([wanted, status, failure]).toEqual([wanted, "success", []]);
    return result;
  }

  const inGuest = (node: string, line: string) =>
    room.ask<string>(node, { ask: "guest", name: web, line });

  const creation = (more: JsonObject): JsonObject => ({
    ...{ OP_ID: "OP_INSTANCE_CREATE", disk_template: "file", os_type: "debian+small", ...more },
    ...{ disks: [{ size: 256 }], nics: [nic], beparams: { minmem: 128, maxmem: 128 } },
    ...{ ip_check: false, name_check: false, conflicts_check: false },
  });
  const parameters = () => ({ source: guestSystem(undefined, () => {}), console: "shell" });

  /** Entry in the importing cluster's log for the exporting one. */
  async function announced(id: Json): Promise<JsonObject | undefined> {
    const { oplog } = (await request(away, "GET", `/2/jobs/${id}`)) as { oplog: Json[][][] };
    return oplog[0]?.find(([, , type]) => type === "remote-import")?.[3] as JsonObject | undefined;
  }

  test("starts there with the content that its guest has written, and is gone from its former cluster", async () => {
    await done(home, requestOf(web, creation({ mode: "create", pnode: home }), parameters()));
    const sum = "md5sum < /content";
    // The line is typed again until it is answered: only the first one writes.
    const written = await inGuest(
      home,
      `test -e /content || { dd if=/dev/urandom of=/content bs=1M count=4 2> /dev/null; sync; }; ${sum}`,
    );
    expect(written).toMatch(/^[0-9a-f]{32}/);

    const path = `/2/instances/${web}`;
    const prepared = (await done(home, {
      method: "PUT",
      path: `${path}/prepare-export?mode=remote`,
    })) as JsonObject;
    const importing = creation({
      ...{ mode: "remote-import", pnode: away, source_instance_name: web },
      ...{ source_handshake: prepared.handshake as Json, source_x509_ca: prepared.x509_ca as Json },
    });
    const { method, path: instances, body } = requestOf(web, importing, parameters());
    const job = await request(away, String(method), String(instances), body as JsonObject);
    await expect.poll(() => announced(job)).toBeDefined();
    const { disks: destination, x509_ca: destination_x509_ca } = (await announced(job)) ?? {};
    const exporting = {
      ...{ mode: "remote", destination, destination_x509_ca },
      ...{ x509_key_name: prepared.x509_key_name, shutdown: true, remove_instance: true },
      // No program of the guest answers a request to shut down.
      shutdown_timeout: 1,
    } as JsonObject;
    expect(await done(home, { method: "PUT", path: `${path}/export`, body: exporting })).toEqual([
      true,
      [true],
    ]);
    await done(away, { id: job });

    expect(await inGuest(away, `${sum}; cat /sys/class/net/eth0/address`)).toBe(
      `${written}\n${nic.mac}`,
    );
    const { open } = await room.ask<Qemu>(away, { ask: "qemu", name: web });
    expect(open).toEqual([expect.stringContaining(`/srv/ganeti/file-storage/${web}/`)]);
    expect(await room.ask(home, { ask: "qemu", name: web })).toBeNull();
    expect(await request(home, "GET", "/2/instances")).toEqual([]);
    expect(await room.on(home, "ls /srv/ganeti/file-storage")).toBe("");
  });
});
