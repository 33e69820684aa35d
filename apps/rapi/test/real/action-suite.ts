/** Runs a table of actions, each on an instance with one disk and one NIC whose guest answers. */
import type { JsonObject } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lackingForRealNodes } from "../../src/demo/real/outer.js";
import { type Action, modification } from "./action.js";
import { type ActionCluster, actionCluster, actionNodes, type Qemu } from "./action-cluster.js";
import { firstSizeMib } from "./device-actions.js";

const lacks = await lackingForRealNodes({ system: undefined });
if (lacks.length > 0) console.warn(`SKIPPED: ${lacks.join("; ")}`);

const web = "web.example.com";
const firstNic = { mac: "aa:00:00:00:00:01", ip: "192.0.2.50" };
const creation: JsonObject = {
  ...{
    OP_ID: "OP_INSTANCE_CREATE",
    mode: "create",
    disk_template: "sharedfile",
    os_type: "debian+small",
  },
  ...{ disks: [{ size: firstSizeMib }], nics: [firstNic] },
  ...{ pnode: actionNodes[0], beparams: { minmem: 96, maxmem: 128, vcpus: 2 } },
  ...{ ip_check: false, name_check: false, conflicts_check: false },
};

const shutdown = { OP_ID: "OP_INSTANCE_SHUTDOWN", timeout: 0 };

/** Actions by the titles of their groups, all on one cluster. */
export function describeActions(groups: Readonly<Record<string, readonly Action[]>>): void {
  describe.skipIf(lacks.length > 0)("an action on a running instance", () => {
    let cluster: ActionCluster;
    beforeAll(async () => {
      cluster = await actionCluster();
    });
    afterAll(() => cluster?.close());

    let isFresh = false;
    const rows = (actions: readonly Action[]) => actions.map((one) => [one.title, one] as const);
    describe.each(Object.entries(groups))("%s", (_, actions) => {
      test.each(rows(actions))("%s", async (_, action) => {
        if (!isFresh || action.start !== undefined) await created(cluster, action);
        isFresh = false;
        await carriedOut(cluster, action);
        if (action.start !== undefined || action.stoppedAs !== undefined) return;
        isFresh = await restored(cluster, action);
      });
    });
  });
}

/** Restores the initial instance, with its guest unless the action has parameters for the start. */
async function created(cluster: ActionCluster, { start, guest }: Action): Promise<void> {
  const [first] = actionNodes;
  const names = await cluster.on(first, "gnt-instance list --no-headers -o name");
  for (const name of names.split("\n").filter(Boolean)) {
    await cluster.done(name, { OP_ID: "OP_INSTANCE_REMOVE", shutdown_timeout: 0 });
  }
  await cluster.done(web, { ...creation, hvparams: start ?? {} });
  if (start === undefined || guest) await cluster.guest(first, web, "true");
}

async function carriedOut(cluster: ActionCluster, action: Action): Promise<void> {
  for (const opcode of action.given ?? []) expectPlugged(await cluster.done(web, opcode));
  const { qemu, pnode } = await agreed(cluster);
  expect(action.asks(qemu)).toEqual(action.before);
  const { stoppedAs, node = pnode, script } = action;
  if (stoppedAs !== undefined) await cluster.done(web, shutdown);
  if (script !== undefined) await cluster.on(pnode, script);
  for (const opcode of action.meanwhile ?? []) await cluster.done(web, opcode);
  const { status, result, log } = await cluster.run(web, action.opcode);
  if (action.refused === undefined) {
    expect([status, status === "success" ? [] : [result, ...log]]).toEqual(["success", []]);
    expectPlugged(result);
  } else {
    const reason = expect.stringContaining(action.refused);
    expect([status, JSON.stringify(result)]).toEqual(["error", reason]);
  }
  if (stoppedAs !== undefined) {
    await cluster.done(stoppedAs, { OP_ID: "OP_INSTANCE_STARTUP" });
    if (action.guest !== null) await cluster.guest(node, stoppedAs, "true");
  }
  await expectAfter(cluster, action, node);
  if (action.stays) return;
  const at = actionNodes.indexOf(node as never) + 1;
  const target_node = actionNodes[at % actionNodes.length] as string;
  await cluster.done(stoppedAs ?? web, { OP_ID: "OP_INSTANCE_MIGRATE", target_node });
  await expectAfter(cluster, action, target_node);
}

const expectPlugged = (result: unknown) => expect(JSON.stringify(result)).not.toContain("failed");

/** Checks that QEMU on that node, and its guest, are in the expected state after the action. */
async function expectAfter(
  cluster: ActionCluster,
  { asks, after, start, guest = start ? null : ["echo up", "up"], stoppedAs: name = web }: Action,
  node: string,
): Promise<void> {
  const { qemu, pnode } = await agreed(cluster, name);
  expect([pnode, asks(qemu)]).toEqual([node, after]);
  if (guest === null) return;
  expect(await cluster.guest(node, name, guest[0])).toBe(guest[1]);
}

/** One QEMU runs, where the configuration says, with all disks and NICs of the configuration and no others. */
async function agreed(cluster: ActionCluster, name = web): Promise<{ qemu: Qemu; pnode: string }> {
  const { pnode, disks, nics } = await cluster.configured(name);
  for (const other of actionNodes.filter((one) => one !== pnode)) {
    await cluster.on(other, `test ! -e /run/ganeti/kvm-hypervisor/pid/${name}`);
  }
  const qemu = await cluster.qemu(pnode, name);
  if (qemu === null) throw new Error(`no QEMU of ${name} runs on ${pnode}`);
  expect(qemu.status).toBe("running");
  const id = (kind: string, uuid: string) => `${kind}-${uuid.split("-").slice(0, 3).join("-")}`;
  expect(qemu.disks.map((disk) => `${disk.id} ${disk.sizeMib}`).sort()).toEqual(
    disks.map(({ uuid, sizeMib }) => `${id("disk", uuid)} ${sizeMib}`).sort(),
  );
  expect(qemu.open).toEqual(disks.map(({ path }) => path).sort());
  expect(qemu.nics.map((nic) => `${nic.id} ${nic.mac} ${nic.bridge}`).sort()).toEqual(
    nics.map(({ uuid, mac, link }) => `${id("nic", uuid)} ${mac} ${link}`).sort(),
  );
  expect(qemu.taps).toEqual(qemu.nics.map(({ tap }) => tap).sort());
  return { qemu, pnode };
}

/** Makes the instance as it was at first while it runs; false if that is not possible. */
async function restored(cluster: ActionCluster, action: Action): Promise<boolean> {
  const { disks, nics } = await cluster.configured(web);
  const parametersOf = (kind: "hvparams" | "beparams") =>
    [...(action.given ?? []), action.opcode].flatMap((one) => Object.keys(one[kind] ?? {}));
  const byDefault = parametersOf("hvparams").map((name) => [name, "default"]);
  const own: JsonObject = creation.beparams as JsonObject;
  const first = disks.find(({ sizeMib }) => sizeMib === firstSizeMib);
  if (first === undefined) return false;
  const kept = nics.find(({ mac }) => mac === firstNic.mac);
  const wrong = nics.filter((nic) => nic !== kept);
  const changes = Object.entries({
    disks: disks.filter((disk) => disk !== first).map(({ uuid }) => ["remove", uuid, {}]),
    nics: [
      ...wrong.map(({ uuid }) => ["remove", uuid, {}]),
      ...(kept?.link === "br1" ? [["modify", kept.uuid, { link: "br0" }]] : []),
      ...(kept === undefined ? [["add", -1, firstNic]] : []),
    ],
    hvparams: Object.fromEntries(byDefault),
    beparams: parametersOf("beparams").length > 0 ? own : {},
    runtime_mem: action.opcode.runtime_mem === undefined ? [] : 128,
  }).filter(([, change]) => typeof change === "number" || Object.keys(change).length > 0);
  if (changes.length === 0) return true;
  const { status, result } = await cluster.run(web, modification(Object.fromEntries(changes)));
  if (status !== "success" || JSON.stringify(result).includes("failed")) return false;
  return agreed(cluster).then(
    ({ qemu }) => qemu.disks.length === 1 && qemu.nics.length === 1,
    () => false,
  );
}
