/** Actions on the disks and NICs of a running instance. */

import { type Action, modification, modify } from "./action.js";
import type { Qemu } from "./action-cluster.js";

const sizes = ({ disks }: Qemu) => disks.map(({ sizeMib }) => sizeMib).sort((a, b) => a - b);
const bridges = ({ nics }: Qemu) => nics.map(({ bridge }) => bridge).sort();
const macs = ({ nics }: Qemu) => nics.map(({ mac }) => mac).sort();

/** Size (MiB) of the disk that each instance has at first. */
export const firstSizeMib = 256;
const first = firstSizeMib;
const data = { size: 32, name: "data" };
const more = { size: 48, name: "more" };
const disk = (...disks: readonly (readonly unknown[])[]) => modify({ disks } as never);
const withDisk = (...disks: readonly (readonly unknown[])[]) => [modification({ disks } as never)];
const nic = (...nics: readonly (readonly unknown[])[]) => modify({ nics } as never);
const withNic = (...nics: readonly (readonly unknown[])[]) => [modification({ nics } as never)];
const firstMac = "aa:00:00:00:00:01";
const otherMac = "aa:00:00:00:00:02";
const thirdMac = "aa:00:00:00:00:03";
const second = ["add", -1, { mac: otherMac, link: "br1" }];
const third = ["add", -1, { mac: thirdMac, link: "br0" }];

export const diskActions: readonly Action[] = [
  {
    title: "a disk is added",
    ...disk(["add", -1, data]),
    asks: sizes,
    before: [first],
    after: [32, first],
    guest: ["cat /sys/block/vdb/size", String(32 * 2048)],
  },
  {
    title: "two disks are added at once",
    ...disk(["add", -1, data], ["add", -1, more]),
    asks: sizes,
    before: [first],
    after: [32, 48, first],
  },
  {
    title: "a disk is added before the first one",
    ...disk(["add", 0, data]),
    asks: sizes,
    before: [first],
    after: [32, first],
  },
  {
    title: "a disk is detached",
    given: withDisk(["add", -1, data]),
    ...disk(["detach", -1, {}]),
    asks: sizes,
    before: [32, first],
    after: [first],
  },
  {
    title: "a disk is detached and another one added in its place",
    given: withDisk(["add", -1, data]),
    ...disk(["detach", -1, {}], ["add", -1, more]),
    asks: sizes,
    before: [32, first],
    after: [48, first],
  },
  {
    title: "a detached disk is attached",
    given: [...withDisk(["add", -1, { ...data, name: "kept" }]), ...withDisk(["detach", -1, {}])],
    ...disk(["attach", -1, { name: "kept" }]),
    asks: sizes,
    before: [first],
    after: [32, first],
  },
  {
    title: "a disk is removed",
    given: withDisk(["add", -1, data]),
    ...disk(["remove", -1, {}]),
    asks: sizes,
    before: [32, first],
    after: [first],
  },
  {
    title: "the middle one of three disks is removed",
    given: withDisk(["add", -1, data], ["add", -1, more]),
    ...disk(["remove", 1, {}]),
    asks: sizes,
    before: [32, 48, first],
    after: [48, first],
  },
  {
    title: "the middle one of three disks is removed and a disk is added",
    given: withDisk(["add", -1, data], ["add", -1, more]),
    ...disk(["remove", 1, {}], ["add", -1, { size: 64 }]),
    asks: sizes,
    before: [32, 48, first],
    after: [48, 64, first],
  },
  {
    title: "a disk gets another name",
    given: withDisk(["add", -1, data]),
    ...disk(["modify", "data", { name: "renamed" }]),
    asks: sizes,
    before: [32, first],
    after: [32, first],
  },
  {
    title: "a disk that becomes read-only",
    given: withDisk(["add", -1, data]),
    ...disk(["modify", "data", { mode: "ro" }]),
    asks: sizes,
    before: [32, first],
    after: [32, first],
    stays: true,
  },
  {
    title: "a read-only disk",
    ...disk(["add", -1, { ...data, mode: "ro" }]),
    asks: ({ disks }) => disks.map(({ isReadOnly }) => isReadOnly),
    before: [false],
    after: [false],
    stays: true,
  },
];

export const nicActions: readonly Action[] = [
  {
    title: "a NIC is added",
    ...nic(second),
    asks: bridges,
    before: ["br0"],
    after: ["br0", "br1"],
    guest: ["cat /sys/class/net/eth1/address", otherMac],
  },
  {
    title: "two NICs are added at once",
    ...nic(second, third),
    asks: macs,
    before: [firstMac],
    after: [firstMac, otherMac, thirdMac],
  },
  {
    title: "a NIC is added before the first one",
    ...nic(["add", 0, { mac: otherMac, link: "br1" }]),
    asks: macs,
    before: [firstMac],
    after: [firstMac, otherMac],
  },
  {
    title: "a NIC is removed",
    given: withNic(second),
    ...nic(["remove", -1, {}]),
    asks: macs,
    before: [firstMac, otherMac],
    after: [firstMac],
  },
  {
    title: "the first one of three NICs is removed",
    given: withNic(second, third),
    ...nic(["remove", 0, {}]),
    asks: macs,
    before: [firstMac, otherMac, thirdMac],
    after: [otherMac, thirdMac],
  },
  {
    title: "the first NIC is removed twice",
    given: withNic(second, third),
    ...nic(["remove", 0, {}], ["remove", 0, {}]),
    asks: macs,
    before: [firstMac, otherMac, thirdMac],
    after: [thirdMac],
  },
  {
    title: "a NIC is removed and another one added",
    given: withNic(second),
    ...nic(["remove", 0, {}], third),
    asks: macs,
    before: [firstMac, otherMac],
    after: [otherMac, thirdMac],
  },
  {
    title: "a NIC gets another link",
    ...nic(["modify", 0, { link: "br1" }]),
    asks: bridges,
    before: ["br0"],
    after: ["br1"],
  },
  {
    title: "a NIC gets another MAC address",
    ...nic(["modify", 0, { mac: otherMac }]),
    asks: macs,
    before: [firstMac],
    after: [otherMac],
  },
  {
    title: "a NIC gets a name",
    ...nic(["modify", 0, { name: "uplink" }]),
    asks: macs,
    before: [firstMac],
    after: [firstMac],
  },
  {
    title: "the second NIC gets another link after the first one was removed",
    given: withNic(second, third, ["remove", 0, {}]),
    ...nic(["modify", 0, { link: "br0" }]),
    asks: bridges,
    before: ["br0", "br1"],
    after: ["br0", "br0"],
  },
];
