/** Actions on the disks and NICs of a running instance. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { type Action, type More, modification } from "./action.js";
import type { Qemu } from "./action-cluster.js";

type Change = readonly [action: string, reference: Json, parameters: JsonObject];

/** Size (MiB) of the disk that each instance has at first. */
export const firstSizeMib = 256;

const sizesOf = ({ disks }: Qemu) => disks.map(({ sizeMib }) => sizeMib).sort((a, b) => a - b);
const macsOf = ({ nics }: Qemu) =>
  nics.map(({ mac, bridge }) => `${bridge} ${mac.slice(-1)}`).sort();

const changes = (kind: "disks" | "nics", list: readonly Change[]) => modification({ [kind]: list });

/** A row: sizes of the disks that QEMU has before and after, without the first one. */
const disks = (
  title: string,
  [before, change, after]: readonly [readonly number[], readonly Change[], readonly number[]],
  { made = [], ...more }: More & { readonly made?: readonly Change[] } = {},
): Action => ({
  ...{ title, asks: sizesOf, opcode: changes("disks", change), ...more },
  ...{ before: [...before, firstSizeMib], after: [...after, firstSizeMib] },
  given: made.map((one) => changes("disks", [one])),
});

/** A row: bridges and last digits of the MAC addresses that QEMU's NICs have before and after. */
const nics = (
  title: string,
  [before, change, after]: readonly [readonly string[], readonly Change[], readonly string[]],
  { made = [], ...more }: More & { readonly made?: readonly Change[] } = {},
): Action => ({
  ...{ title, asks: macsOf, opcode: changes("nics", change), ...more, before, after },
  given: made.map((one) => changes("nics", [one])),
});

const add = (size: number, more: JsonObject = {}): Change => ["add", -1, { size, ...more }];
const plug = (digit: number, link: string): Change => ["add", -1, { mac: mac(digit), link }];
const mac = (digit: number) => `aa:00:00:00:00:0${digit}`;
const remove = (at: number): Change => ["remove", at, {}];
const sectors = (mib: number) => String(mib * 2048);

export const diskActions: readonly Action[] = [
  disks("a disk is added", [[], [add(32)], [32]], {
    guest: ["cat /sys/block/vdb/size", sectors(32)],
  }),
  disks("two disks are added at once", [[], [add(32), add(48)], [32, 48]]),
  disks("a disk is added before the first one", [[], [["add", 0, { size: 32 }]], [32]]),
  disks("a disk is removed", [[32], [remove(-1)], []], { made: [add(32)] }),
  disks("the middle one of three disks is removed", [[32, 48], [remove(1)], [48]], {
    made: [add(32), add(48)],
  }),
  disks(
    "a disk is removed and two are added",
    [
      [32, 48],
      [remove(1), add(64), add(80)],
      [48, 64, 80],
    ],
    {
      isQuick: true,
      made: [add(32), add(48)],
    },
  ),
  disks("a disk is detached", [[32], [["detach", 1, {}]], []], { made: [add(32)] }),
  disks("a disk is detached and another one added", [[32], [["detach", 1, {}], add(48)], [48]], {
    made: [add(32)],
  }),
  disks("a detached disk is attached", [[], [["attach", -1, { name: "kept" }]], [32]], {
    made: [add(32, { name: "kept" }), ["detach", "kept", {}]],
  }),
  disks("a disk gets a name", [[32], [["modify", 1, { name: "data" }]], [32]], { made: [add(32)] }),
  disks(
    "a disk becomes read-only at the next start",
    [[32], [["modify", 1, { mode: "ro" }]], [32]],
    {
      made: [add(32)],
    },
  ),
];

export const nicActions: readonly Action[] = [
  nics("a NIC is added", [["br0 1"], [plug(2, "br1")], ["br0 1", "br1 2"]], {
    guest: ["cat /sys/class/net/eth1/address", mac(2)],
  }),
  nics("two NICs are added at once", [
    ["br0 1"],
    [plug(2, "br1"), plug(3, "br0")],
    ["br0 1", "br0 3", "br1 2"],
  ]),
  nics("a NIC is added before the first one", [
    ["br0 1"],
    [["add", 0, { mac: mac(2), link: "br1" }]],
    ["br0 1", "br1 2"],
  ]),
  nics("a NIC is removed", [["br0 1", "br1 2"], [remove(-1)], ["br0 1"]], {
    made: [plug(2, "br1")],
  }),
  nics(
    "the first one of three NICs is removed",
    [["br0 1", "br0 3", "br1 2"], [remove(0)], ["br0 3", "br1 2"]],
    {
      isQuick: true,
      made: [plug(2, "br1"), plug(3, "br0")],
    },
  ),
  nics(
    "the first NIC is removed twice",
    [["br0 1", "br0 3", "br1 2"], [remove(0), remove(0)], ["br0 3"]],
    {
      made: [plug(2, "br1"), plug(3, "br0")],
    },
  ),
  nics(
    "a NIC is removed and one is added",
    [
      ["br0 1", "br1 2"],
      [remove(0), plug(3, "br0")],
      ["br0 3", "br1 2"],
    ],
    {
      made: [plug(2, "br1")],
    },
  ),
  nics("a NIC gets another link", [["br0 1"], [["modify", 0, { link: "br1" }]], ["br1 1"]]),
  nics("a NIC gets another MAC address", [["br0 1"], [["modify", 0, { mac: mac(2) }]], ["br0 2"]]),
  nics("a NIC gets a name", [["br0 1"], [["modify", 0, { name: "uplink" }]], ["br0 1"]]),
  nics(
    "the second of three NICs gets another link after the first was removed",
    [["br0 3", "br1 2"], [["modify", 0, { link: "br0" }]], ["br0 2", "br0 3"]],
    {
      made: [plug(2, "br1"), plug(3, "br0"), remove(0)],
    },
  ),
];
