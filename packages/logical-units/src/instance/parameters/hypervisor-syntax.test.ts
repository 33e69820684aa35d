import { defaultHvparams } from "@ganeti-ts/config";
import type { Json } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { checkHvparamSyntax } from "./hypervisor-syntax.js";

const faultOf = (hypervisor: "kvm" | "xen-pvm" | "xen-hvm", given: Record<string, Json>) => {
  try {
    checkHvparamSyntax(hypervisor, { ...defaultHvparams[hypervisor], ...given });
    return undefined;
  } catch (error) {
    return (error as { args?: unknown }).args ?? error;
  }
};

test("the defaults of a new cluster pass the checks", () => {
  const faults = (["kvm", "xen-pvm", "xen-hvm"] as const).map((name) => faultOf(name, {}));
  expect(faults).toEqual([undefined, undefined, undefined]);
  expect(() => checkHvparamSyntax("fake", { migration_mode: "live" })).not.toThrow();
});

const current = (name: string, says: string, value: string) =>
  `Parameter '${name}' fails syntax check: ${says} (current value: '${value}')`;
const path = "must be an absolute normalized path";

describe("refused is", () => {
  test.each([
    ["kvm", { kernel_path: "boot/kernel" }, current("kernel_path", path, "boot/kernel")],
    ["kvm", { kernel_path: "/boot/../kernel" }, current("kernel_path", path, "/boot/../kernel")],
    ["kvm", { kvm_path: "" }, "Parameter 'kvm_path' is required but is currently not defined"],
    [
      "kvm",
      { cdrom_image_path: "cd.iso" },
      current("cdrom_image_path", `${path} or a URL`, "cd.iso"),
    ],
    [
      "kvm",
      { disk_cache: "fast" },
      current(
        "disk_cache",
        "The value must be one of: default, none, writeback, writethrough",
        "fast",
      ),
    ],
    ["kvm", { migration_port: 65_535 }, current("migration_port", "invalid port number", "65535")],
    [
      "kvm",
      { cpu_mask: "0-2:5-1" },
      current("cpu_mask", "Multiple CPU mask definition is not well-formed", "0-2:5-1"),
    ],
    ["kvm", { boot_order: "cdrom" }, "Cannot boot from cdrom without an ISO path"],
    [
      "kvm",
      { kernel_path: "/boot/kernel", root_path: "" },
      "Need a root partition for the instance, if a kernel is defined",
    ],
    ["kvm", { security_model: "user" }, "A security domain (user to run kvm as) must be specified"],
    [
      "kvm",
      { security_domain: "joe" },
      "Cannot have a security domain when the security model is 'none' or 'pool'",
    ],
    ["kvm", { vnc_x509_verify: true }, "vnc_x509_path must be defined, if vnc_x509_verify is"],
    ["kvm", { spice_use_tls: true }, "SPICE: spice_use_tls requires spice_bind to be set"],
    [
      "kvm",
      { spice_bind: "192.0.2.1", spice_ip_version: 6 },
      "SPICE: Got an IPv4 address (192.0.2.1), but the specified IP version is 6",
    ],
    [
      "kvm",
      { disk_aio: "native" },
      "When 'disk_aio' is set to 'native', the only supported value for 'disk_cache' is 'none'.",
    ],
    ["xen-pvm", { cpu_weight: 65_536 }, current("cpu_weight", "invalid weight", "65536")],
    [
      "xen-hvm",
      { boot_order: "xyz" },
      current("boot_order", "Invalid boot order specified, must be one or more of [acdn]", "xyz"),
    ],
    [
      "xen-hvm",
      { vnc_bind_address: "::1" },
      current("vnc_bind_address", "VNC bind address is not a valid IP address", "::1"),
    ],
  ] as const)("%s with %j", (hypervisor, given, says) => {
    expect(JSON.stringify(faultOf(hypervisor, given))).toContain(JSON.stringify(says).slice(1, -1));
  });
});

test.each([
  { cdrom_image_path: "https://images.example.com/cd.iso", boot_order: "cdrom" },
  { cpu_mask: "0-2,5:all:1" },
  { security_model: "user", security_domain: "joe" },
  { spice_bind: "lo", spice_ip_version: 6, spice_use_tls: true },
  { disk_aio: "native", disk_cache: "none" },
])("%j is accepted", (given) => {
  expect(faultOf("kvm", given)).toBeUndefined();
});
