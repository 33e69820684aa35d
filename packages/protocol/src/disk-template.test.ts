import { expect, test } from "vitest";
import { diskTemplates } from "./cluster-data.js";
import {
  adoptionOf,
  diskCan,
  diskUsageMib,
  isFileBased,
  isMirrored,
  isShared,
  isUnmirrored,
  usesLvm,
  usesNodeSpace,
} from "./disk-template.js";

test.each<[string, (template: string) => boolean, string]>([
  ["DTS_INT_MIRROR", isMirrored, "drbd"],
  ["DTS_EXT_MIRROR", isShared, "sharedfile blockdev rbd ext gluster"],
  ["DTS_COPYABLE", isUnmirrored, "file plain"],
  ["DTS_LVM", usesLvm, "plain drbd"],
  ["DTS_FILEBASED", isFileBased, "file sharedfile gluster"],
  ["DTS_LOCAL_STORAGE", usesNodeSpace, "file plain drbd"],
  ["DTS_MAY_ADOPT", (one) => adoptionOf(one) !== undefined, "plain blockdev"],
  ["DTS_MUST_ADOPT", (one) => adoptionOf(one) === "required", "blockdev"],
  ["DTS_HAVE_ACCESS", (one) => diskCan(one, "access"), "rbd ext gluster"],
  ["DTS_SNAPSHOT_CAPABLE", (one) => diskCan(one, "snapshot"), "plain drbd ext"],
  ["DTS_EXCL_STORAGE", (one) => diskCan(one, "spindles"), "plain"],
  ["DTS_NOT_CONVERTIBLE_TO", (one) => !diskCan(one, "convert"), "diskless blockdev"],
  ["no DTS_GROWABLE", (one) => !diskCan(one, "grow"), "diskless blockdev"],
])("the templates of Ganeti's %s are those that the traits name", (_, has, named) => {
  expect(diskTemplates.filter(has).join(" ")).toBe(named);
});

test("a name that is no disk template has no trait", () => {
  for (const name of ["mixed", "", "constructor", "__proto__", null, undefined]) {
    expect([isMirrored, isShared, isUnmirrored, usesLvm].some((has) => has(name))).toBe(false);
    expect(diskUsageMib(name, 5)).toBe(5);
  }
});
