import { decodeOpcode, type Json } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { given } from "../../../test/told.js";
import { GanetiError } from "../../errors.js";
import { program as backup } from "../../programs/gnt-backup.js";
import { program } from "../../programs/gnt-instance.js";
import { addOpcode, importOpcode } from "./creation.js";

function added(line: string) {
  const { args, options } = given(program, "add", line);
  return addOpcode(args[0], options);
}

const checks = { name_check: true, ip_check: true };

test.each<{ readonly line: string; readonly says: Record<string, Json> }>([
  {
    line: "-t diskless -o noop+default -n node1 --no-ip-check -B memory=128 web1",
    says: {
      mode: "create",
      instance_name: "web1",
      disk_template: "diskless",
      disks: [],
      nics: [{}],
      pnode: "node1",
      os_type: "noop+default",
      beparams: { memory: 128 },
      name_check: true,
      ip_check: false,
    },
  },
  {
    line: "-t drbd --disk 1:size=1g,name=data --disk 0:size=512m -n node1:node2 --no-start web1",
    says: {
      mode: "create",
      instance_name: "web1",
      disk_template: "drbd",
      nics: [{}],
      ...checks,
      disks: [{ size: 512 }, { size: 1024, name: "data" }],
      pnode: "node1",
      snode: "node2",
      start: false,
    },
  },
  {
    line: "-t plain -m 2g --os-size 1g --swap-size 512m --iallocator hail -o debian web1",
    says: {
      mode: "create",
      instance_name: "web1",
      disk_template: "plain",
      nics: [{}],
      ...checks,
      disks: [{ size: 1024 }, { size: 512 }],
      beparams: { memory: 2048 },
      iallocator: "hail",
      os_type: "debian",
    },
  },
  {
    line: "-s 10g -H kvm:acpi=false,cpu_cores=2,usb_devices='host:1 host:2' --no-nics --no-name-check --tags a,b web1",
    says: {
      mode: "create",
      instance_name: "web1",
      disks: [{ size: 10240 }],
      nics: [],
      hypervisor: "kvm",
      tags: ["a", "b"],
      name_check: false,
      ip_check: true,
      hvparams: { acpi: false, cpu_cores: 2, usb_devices: "host:1,host:2" },
    },
  },
  {
    line: "-t plain --disk 0:adopt=lv1,vg=xenvg --net 1:network=net1,ip=pool web1",
    says: {
      mode: "create",
      instance_name: "web1",
      disk_template: "plain",
      ...checks,
      disks: [{ adopt: "lv1", vg: "xenvg", size: 0 }],
      nics: [{}, { network: "net1", ip: "pool" }],
    },
  },
  {
    line: "--forthcoming",
    says: { mode: "create", forthcoming: true, name_check: false, ip_check: false },
  },
  {
    line: "--commit --name-check --no-install web1",
    says: {
      instance_name: "web1",
      commit: true,
      no_install: true,
      name_check: true,
      ip_check: false,
    },
  },
])("add $line", ({ line, says }) => {
  const opcode = added(line);
  expect(opcode).toEqual({ OP_ID: "OP_INSTANCE_CREATE", ...says });
  expect(decodeOpcode(opcode)).toMatchObject({ ok: true });
});

test.each([
  [
    "--forthcoming --commit web1",
    "Creating an instance only forthcoming and commiting it are mutally exclusive",
  ],
  ["web1", "No disk information specified"],
  ["-t diskless -s 1g web1", "Diskless instance but disk information passed"],
  ["-t plain -s 1g --disk 0:size=1g web1", "Please use either the '--disk' or '-s' option"],
  [
    "--swap-size 1g web1",
    "The option '--swap-size' describes a second disk: '--os-size' is missing",
  ],
  ["--disk 0:name=root web1", "Missing size or adoption source for disk 0"],
  ["--disk 0:size=1g,adopt=lv1 web1", "Only one of 'size' and 'adopt' allowed (disk 0)"],
  ["--disk 0:adopt=lv1,spindles=1 web1", "spindles is not a valid option when adopting a disk"],
  [
    "--disk x:size=1g web1",
    "Invalid disk index passed: invalid literal for int() with base 10: 'x'",
  ],
  ["--disk 9999:size=1g web1", "Invalid disk index passed: 9999 is not from 0 to 999"],
  ["--disk 0:size=1q web1", "Invalid disk size for disk 0: Unknown unit: q"],
  ["--disk 0:size=1g,spindles=many web1", "Invalid spindles for disk 0: 'many' is no number"],
  ["--disk no_0 web1", "Invalid disk/0 value: expected dict, got False"],
  [
    "-s 1g --net x:ip=pool web1",
    "Invalid NIC index passed: invalid literal for int() with base 10: 'x'",
  ],
  ["-s 1g -m 2g -B minmem=1g web1", "Please use either the '-m' option or '-B minmem=…'"],
])("add %s is refused: %s", (line, message) => {
  expect(() => added(line)).toThrow(new GanetiError("OpPrereqError", [message, "wrong_input"]));
});

test.each([
  ["-s 1g -B nosuch=1 web1", "Unknown parameter 'nosuch'"],
  ["-s 1g -H kvm:nosuch=1 web1", "Unknown parameter 'nosuch'"],
  ["-s 1g -B vcpus=two web1", "'vcpus' (value two) is not a valid integer"],
  ["-s 1g -B maxmem=many web1", "'maxmem' (value many) is not a valid size. error: Invalid format"],
  ["-s 1g -B auto_balance=perhaps web1", "'auto_balance' (value perhaps) is not a valid boolean"],
  ["-s 1g --net 0:-mac web1", "'mac' (value None) is not a valid string"],
])("add %s has a value of the wrong type: %s", (line, message) => {
  expect(() => added(line)).toThrow(new GanetiError("TypeEnforcementError", [message]));
});

test("an import takes disks and NICs from the export and does not start the instance", () => {
  const { args, options } = given(
    backup,
    "import",
    "-t plain -n node1 --src-node node2 --src-dir /srv/export --no-name-check --identify-defaults web1",
  );
  const opcode = importOpcode(args[0] ?? "", options);
  expect(opcode).toEqual({
    OP_ID: "OP_INSTANCE_CREATE",
    mode: "import",
    instance_name: "web1",
    disk_template: "plain",
    disks: [],
    nics: [],
    pnode: "node1",
    start: false,
    src_node: "node2",
    src_path: "/srv/export",
    identify_defaults: true,
    name_check: false,
    ip_check: true,
  });
  expect(decodeOpcode(opcode)).toMatchObject({ ok: true });
});
