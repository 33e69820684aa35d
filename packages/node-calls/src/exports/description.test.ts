import { expect, test } from "vitest";
import { aDrbdDisk, anInstance, aPlainDisk } from "../conformance.js";
import { exportDescription } from "./description.js";

const instance = anInstance({
  primary_node: "A",
  tags: ["b", "a"],
  hvparams: { migration_mode: "live", acpi: true, kernel_path: "" },
  beparams: { maxmem: 256, minmem: 128, vcpus: 2, always_failover: false },
  osparams: { size: "1" },
  osparams_private: { key: "x" },
  nics: [{ uuid: "n", mac: "aa:00:00:00:00:01", nicparams: { mode: "bridged", link: "br0" } }],
});

test("an export is described by the instance that its node gets, without parameters of the cluster", () => {
  const disk = { ...aPlainDisk("a", 64), uuid: "snapshot", iv_name: "disk/1", name: "swap" };
  expect(exportDescription(instance, [null, disk], 1795349049.9)).toEqual({
    export: {
      ...{ version: "0", timestamp: "1795349049", source: "A" },
      ...{ os: "noop+default", compression: "none" },
    },
    instance: {
      ...{ name: "web.example.com", maxmem: "256", minmem: "128", memory: "256", vcpus: "2" },
      ...{ disk_template: "plain", hypervisor: "kvm", tags: "b a" },
      ...{ nic0_mac: "aa:00:00:00:00:01", nic0_ip: "None", nic0_network: "None" },
      ...{ nic0_name: "None", nic0_link: "br0", nic0_mode: "bridged", nic0_vlan: "None" },
      ...{ nic_count: "1", disk1_ivname: "disk/1", disk1_dump: "snapshot", disk1_size: "64" },
      ...{ disk1_name: "swap", disk_count: "1" },
    },
    hypervisor: { acpi: "True", kernel_path: "" },
    backend: { maxmem: "256", minmem: "128", vcpus: "2", always_failover: "False" },
    os: { size: "1" },
    os_private: { key: "x" },
  });
});

test.each([
  { disks: [], template: "diskless" },
  { disks: [aDrbdDisk(), aDrbdDisk()], template: "drbd" },
  { disks: [aDrbdDisk(), aPlainDisk()], template: "mixed" },
])("the template of an export follows from its disks: $template", ({ disks, template }) => {
  expect(exportDescription(instance, disks, 0).instance?.disk_template).toBe(template);
});
