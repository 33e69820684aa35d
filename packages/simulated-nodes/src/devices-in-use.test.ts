// Devices that instances or mirrors use: nodes do not remove them.
import type { NodeCallArguments } from "@ganeti-ts/node-calls";
import { aDrbdDisk, anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { expect, test } from "vitest";
import {
  creation,
  makeMirror,
  type NodesUnderTest,
  nodesUnderTest,
} from "../test/nodes-under-test.js";

const plain = aPlainDisk();
const drbd = aDrbdDisk();
const running = (disk: typeof plain, hypervisor = "kvm") => ({
  ...{ ...anInstance(), hypervisor, disks: [disk] },
});
const start = (under: NodesUnderTest, instance: ReturnType<typeof running>) =>
  under.ask("A", "instance_start", { instance, startupPaused: false });
const stop = (under: NodesUnderTest) =>
  under.ask("A", "instance_shutdown", { instance: running(plain), timeoutSeconds: 0 });

const volumeInUse = {
  ok: false,
  message: "Can't lvremove: exited with exit code 5 -   Logical volume xenvg/NAME in use.".replace(
    "NAME",
    String(plain.logical_id[1]),
  ),
};
const heldOpen = (what: string) => ({
  ok: false,
  message: `drbd0: ${what}: exited with exit code 11 - State change failed: (-12) Device is held open by someone`,
});

test("a volume is removed only after the instance that uses it has stopped", async () => {
  const under = await nodesUnderTest();
  await under.ask("A", "blockdev_create", creation(plain));
  await start(under, running(plain));
  expect(await under.answer("A", "blockdev_remove", { disk: plain })).toMatchObject(volumeInUse);
  // Closing it has no effect.
  await under.ask("A", "blockdev_shutdown", { disk: plain });
  expect(await under.ask("A", "blockdev_find", { disk: plain })).not.toBeNull();
  await stop(under);
  await under.ask("A", "blockdev_remove", { disk: plain });
  expect(await under.ask("A", "blockdev_find", { disk: plain })).toBeNull();
});

test("a volume under another name is still in use", async () => {
  const under = await nodesUnderTest();
  await under.ask("A", "blockdev_create", creation(plain));
  await start(under, running(plain));
  const renamed = { ...plain, logical_id: ["xenvg", "other"] };
  const renames = [{ disk: plain, logicalId: renamed.logical_id }];
  await under.ask("A", "blockdev_rename", { renames });
  expect((await under.answer("A", "blockdev_remove", { disk: renamed })).ok).toBe(false);
});

test("a disk that is attached or detached while the instance runs is in use in between", async () => {
  const under = await nodesUnderTest();
  await under.ask("A", "blockdev_create", creation(plain));
  await start(under, { ...running(plain), disks: [] });
  const instance = running(plain);
  const assembly = { disk: plain, instance, asPrimary: true, index: 0 };
  const { link, uri } = await under.ask("A", "blockdev_assemble", assembly);
  const what = { type: "disk", device: plain, index: 0, extra: { link, uri } } as const;
  await under.ask("A", "hotplug_device", { instance, action: "add", what });
  expect(await under.answer("A", "blockdev_remove", { disk: plain })).toMatchObject(volumeInUse);
  const gone = { instance, action: "remove", what: { ...what, extra: null } } as const;
  await under.ask("A", "hotplug_device", gone);
  await under.ask("A", "blockdev_remove", { disk: plain });
  expect(await under.answer("A", "hotplug_device", gone)).toMatchObject({
    message: `Cannot find runtime info for disk with UUID ${plain.uuid}`,
  });
});

const link = (index: number) => `/var/run/ganeti/instance-disks/${running(plain).name}:${index}`;
const nicparams = { mode: "bridged", link: "xen-br0" };
const nic = { uuid: "uuid-nic", mac: "aa:00:00:00:00:01", nicparams };
test.each<[why: string, what: NodeCallArguments<"hotplug_device">["what"], message: RegExp]>([
  [
    "a disk without its device",
    { type: "disk", device: plain, index: 0, extra: null },
    /^Cannot hot-add disk: A disk has neither a device nor an address$/,
  ],
  [
    "a disk under the link of another one",
    { type: "disk", device: plain, index: 0, extra: { link: link(1), uri: null } },
    /^Cannot hot-add disk: Could not open '.*:1'/,
  ],
  [
    "a disk that is not set up",
    {
      type: "disk",
      device: { ...plain, logical_id: ["xenvg", "missing"] },
      index: 0,
      extra: { link: link(0), uri: null },
    },
    /^Cannot hot-add disk: Could not open '.*:0'/,
  ],
  [
    "a read-only disk",
    {
      type: "disk",
      device: { ...plain, mode: "ro" },
      index: 0,
      extra: { link: link(0), uri: null },
    },
    /^Cannot hot-add disk: Instance has read-only disks which are not supported by KVM$/,
  ],
  [
    "a NIC without its MAC address",
    { type: "nic", device: { ...nic, mac: null }, index: 0 },
    /no MAC address$/,
  ],
  [
    "a NIC without its mode",
    { type: "nic", device: { ...nic, nicparams: {} }, index: 0 },
    /no mode$/,
  ],
  [
    "a NIC without the network it is in",
    { type: "nic", device: { ...nic, network: "uuid-net" }, index: 0 },
    /its network uuid-net is unknown$/,
  ],
  [
    "a NIC on a bridge that is missing",
    { type: "nic", device: { ...nic, nicparams: { ...nicparams, link: "br9" } }, index: 0 },
    /no bridge br9$/,
  ],
])("a running instance does not get %s", async (_, what, message) => {
  const under = await nodesUnderTest();
  await under.ask("A", "blockdev_create", creation(plain));
  const instance = { ...running(plain), disks: [] };
  await start(under, instance);
  const add = { instance, action: "add", what } as const;
  expect(await under.answer("A", "hotplug_device", add)).toMatchObject({
    ok: false,
    message: expect.stringMatching(message),
  });
});

test("a fake instance uses no devices", async () => {
  const under = await nodesUnderTest();
  await under.ask("A", "blockdev_create", creation(plain));
  await start(under, running(plain, "fake"));
  await under.ask("A", "blockdev_remove", { disk: plain });
});

test("a mirror is brought down or closed only after the instance that uses it has stopped, its volumes after that", async () => {
  const under = await nodesUnderTest();
  await makeMirror(under, drbd);
  await under.ask("A", "blockdev_open", { disks: [drbd] } as never);
  await start(under, running(drbd));
  expect(await under.answer("A", "blockdev_shutdown", { disk: drbd })).toMatchObject(
    heldOpen("can't shutdown drbd device"),
  );
  expect(await under.answer("A", "blockdev_remove", { disk: drbd })).toMatchObject(
    heldOpen("can't shutdown drbd device"),
  );
  expect(await under.answer("A", "blockdev_close", { disks: [drbd] } as never)).toMatchObject(
    heldOpen("can't switch drbd device to secondary"),
  );
  await stop(under);
  const [data = plain] = drbd.children ?? [];
  expect((await under.answer("A", "blockdev_remove", { disk: data })).ok).toBe(false);
  await under.ask("A", "blockdev_remove", { disk: drbd });
  expect(await under.ask("A", "blockdev_find", { disk: data })).toBeNull();
});
