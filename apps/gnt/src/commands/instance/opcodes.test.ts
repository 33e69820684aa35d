import { decodeOpcode, type Json } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { given } from "../../../test/told.js";
import type { OpcodeJson } from "../../cluster.js";
import { Ending, GanetiError } from "../../errors.js";
import type { OptionValues } from "../../invocation.js";
import { program } from "../../programs/gnt-instance.js";
import { removeOpcode, renameOpcode } from "./changes.js";
import { growDiskOpcode, recreateDisksOpcode, replaceDisksOpcode } from "./disks.js";
import { modifyOpcode } from "./modify.js";
import { changeGroupOpcode, failoverOpcode, migrateOpcode, moveOpcode } from "./moves.js";
import { reinstallOpcode } from "./reinstall.js";
import { rebootOpcode, shutdownOpcode, startupOpcode } from "./states.js";

type Builder = (args: readonly string[], options: OptionValues) => OpcodeJson;

const ofFirst =
  (build: (name: string, options: OptionValues) => OpcodeJson): Builder =>
  ([name = ""], options) =>
    build(name, options);

const builders: Readonly<Record<string, Builder>> = {
  "change-group": ofFirst(changeGroupOpcode),
  failover: ofFirst(failoverOpcode),
  "grow-disk": growDiskOpcode,
  migrate: ofFirst(migrateOpcode),
  modify: ofFirst(modifyOpcode),
  move: ofFirst(moveOpcode),
  reboot: ofFirst(rebootOpcode),
  "recreate-disks": ofFirst(recreateDisksOpcode),
  reinstall: ([name = ""], options) => reinstallOpcode(name, options.text("os-type"), options),
  remove: ofFirst(removeOpcode),
  rename: ([from = "", to = ""], options) => renameOpcode(from, to, options),
  "replace-disks": ofFirst(replaceDisksOpcode),
  shutdown: ofFirst(shutdownOpcode),
  startup: ofFirst(startupOpcode),
};

function built(line: string): OpcodeJson {
  const [name = "", ...words] = line.split(" ");
  const { args, options } = given(program, name, words.join(" "));
  return (builders[name] as Builder)(args, options);
}

const hardReboot = { reboot_type: "hard" };
const noChanges = { nics: [], disks: [] };

test.each<readonly [line: string, opcode: string, says: Record<string, Json>]>([
  ["startup web1", "STARTUP", {}],
  [
    "startup -f --ignore-offline --no-remember --paused -H acpi=false -B memory=1g web1",
    "STARTUP",
    {
      force: true,
      ignore_offline_nodes: true,
      no_remember: true,
      startup_paused: true,
      hvparams: { acpi: false },
      beparams: { memory: 1024 },
    },
  ],
  ["shutdown --timeout 30 --no-remember web1", "SHUTDOWN", { timeout: 30, no_remember: true }],
  ["shutdown --timeout 0 web1", "SHUTDOWN", { timeout: 0 }],
  ["reboot web1", "REBOOT", hardReboot],
  [
    "reboot -t full --shutdown-timeout=5 web1",
    "REBOOT",
    { reboot_type: "full", shutdown_timeout: 5 },
  ],
  [
    "failover -n node2 --ignore-ipolicy web1",
    "FAILOVER",
    { target_node: "node2", ignore_ipolicy: true },
  ],
  ["failover -I hail --cleanup web1", "FAILOVER", { iallocator: "hail", cleanup: true }],
  [
    "migrate --non-live --no-runtime-changes web1",
    "MIGRATE",
    { mode: "non-live", allow_runtime_changes: false },
  ],
  [
    "migrate --migration-mode=live --allow-failover web1",
    "MIGRATE",
    { mode: "live", allow_failover: true },
  ],
  ["move -n node3 --compress=gzip web1", "MOVE", { target_node: "node3", compress: "gzip" }],
  ["change-group --to g2 --to g3 web1", "CHANGE_GROUP", { target_groups: ["g2", "g3"] }],
  ["remove --ignore-failures web1", "REMOVE", { ignore_failures: true }],
  ["rename web1 web2", "RENAME", { new_name: "web2", name_check: true, ip_check: true }],
  [
    "rename --no-ip-check --no-name-check web1 web2",
    "RENAME",
    { new_name: "web2", name_check: false, ip_check: false },
  ],
  [
    "reinstall -o debian -O fs=ext4 web1",
    "REINSTALL",
    { os_type: "debian", osparams: { fs: "ext4" } },
  ],
  [
    "replace-disks -p --disks 0,2 web1",
    "REPLACE_DISKS",
    { mode: "replace_on_primary", disks: [0, 2] },
  ],
  ["replace-disks -s web1", "REPLACE_DISKS", { mode: "replace_on_secondary", disks: [] }],
  ["replace-disks -a web1", "REPLACE_DISKS", { mode: "replace_auto", disks: [] }],
  [
    "replace-disks -n node3 web1",
    "REPLACE_DISKS",
    { mode: "replace_new_secondary", disks: [], remote_node: "node3" },
  ],
  [
    "replace-disks -I hail --early-release web1",
    "REPLACE_DISKS",
    { mode: "replace_new_secondary", disks: [], iallocator: "hail", early_release: true },
  ],
  [
    "recreate-disks -n node1:node2 --disk 1:size=2g web1",
    "RECREATE_DISKS",
    { disks: [[1, { size: 2048 }]], nodes: ["node1", "node2"] },
  ],
  ["recreate-disks --disk 0: web1", "RECREATE_DISKS", { disks: [[0, {}]], nodes: [] }],
  ["grow-disk web1 0 4m", "GROW_DISK", { disk: 0, amount: 4 }],
  [
    "grow-disk --absolute --no-wait-for-sync web1 1 1.5g",
    "GROW_DISK",
    { disk: 1, amount: 1536, absolute: true, wait_for_sync: false },
  ],
  [
    "modify -B maxmem=256,vcpus=Default web1",
    "SET_PARAMS",
    { ...noChanges, beparams: { maxmem: 256, vcpus: "default" } },
  ],
  [
    "modify --net 0:modify,ip=10.0.0.9 web1",
    "SET_PARAMS",
    { nics: [["modify", 0, { ip: "10.0.0.9" }]], disks: [] },
  ],
  [
    "modify --net add:network=net1,ip=pool web1",
    "SET_PARAMS",
    { nics: [["add", -1, { network: "net1", ip: "pool" }]], disks: [] },
  ],
  [
    "modify --net 2:add --net remove --disk -1:remove web1",
    "SET_PARAMS",
    {
      nics: [
        ["add", 2, {}],
        ["remove", -1, {}],
      ],
      disks: [["remove", -1, {}]],
    },
  ],
  [
    "modify --disk add:size=1g,spindles=2 --disk root:mode=ro web1",
    "SET_PARAMS",
    {
      nics: [],
      disks: [
        ["add", -1, { size: 1024, spindles: 2 }],
        ["modify", "root", { mode: "ro" }],
      ],
    },
  ],
  [
    "modify -t drbd -n node2 --no-wait-for-sync web1",
    "SET_PARAMS",
    { ...noChanges, disk_template: "drbd", remote_node: "node2", wait_for_sync: false },
  ],
  [
    "modify -t ext -e provider=pvdr1,pool=a web1",
    "SET_PARAMS",
    { ...noChanges, disk_template: "ext", ext_params: { provider: "pvdr1", pool: "a" } },
  ],
  ["modify --offline web1", "SET_PARAMS", { ...noChanges, offline: true }],
  [
    "modify --online --no-hotplug web1",
    "SET_PARAMS",
    { ...noChanges, offline: false, hotplug: false },
  ],
  [
    "modify -m 2g --new-primary node2 -c yes web1",
    "SET_PARAMS",
    { ...noChanges, runtime_mem: 2048, pnode: "node2", instance_communication: true },
  ],
])("%s", (line, id, says) => {
  const opcode = built(line);
  expect(opcode).toEqual({ OP_ID: `OP_INSTANCE_${id}`, instance_name: "web1", ...says });
  expect(decodeOpcode(opcode)).toMatchObject({ ok: true });
});

test.each([
  [
    "failover -I hail -n node2 web1",
    "Specify either an iallocator (-I), or a target node (-n) but not both",
  ],
  [
    "migrate --non-live --migration-mode live web1",
    "Only one of the --non-live and --migration-mode options can be passed",
  ],
  ["move web1", "Target node must be specified"],
  ["replace-disks web1", "One and only one of the -p, -s, -a, -n and -I options must be passed"],
  [
    "replace-disks -p -s web1",
    "One and only one of the -p, -s, -a, -n and -I options must be passed",
  ],
  ["replace-disks -a --disks 0 web1", "Cannot specify disks when using automatic mode"],
  [
    "replace-disks -p --disks a web1",
    "Invalid disk index passed: invalid literal for int() with base 10: 'a'",
  ],
  [
    "recreate-disks -n node1 -I hail web1",
    "At most one of either --nodes or --iallocator can be passed",
  ],
  ["grow-disk web1 root 4m", "Invalid disk index: invalid literal for int() with base 10: 'root'"],
  ["grow-disk web1 0 much", "Can't parse the given amount 'much'"],
  ["modify --disk add:name=a web1", "Missing required parameter 'size'"],
  [
    "modify --net 0:add,remove web1",
    "Cannot do more than one of the following operations at the same time: add, attach, remove, detach, modify",
  ],
  ["modify --disk 0:remove,mode=ro web1", "Not accepting parameters on removal/detach"],
  [
    "modify -t ext -e pool=a web1",
    "Missing required parameter 'provider' when converting to an ExtStorage disk template",
  ],
])("%s is refused: %s", (line, message) => {
  expect(() => built(line)).toThrow(new GanetiError("OpPrereqError", [message, "wrong_input"]));
});

test.each([
  ["modify web1", "Please give at least one of the parameters."],
  ["modify -n node2 web1", "Please give at least one of the parameters."],
  [
    "modify -t plain -e provider=a web1",
    "Specifying ExtStorage parameters requires converting to the 'ext' disk template",
  ],
  [
    "modify -t ext web1",
    "Provider option is missing, use either the '--ext-params' or '-e' option",
  ],
  [
    "modify -t plain --file-driver loop web1",
    "Specifying file-based configuration arguments requires converting to a file-based disk template",
  ],
])("%s ends at once: %s", (line, message) => {
  expect(() => built(line)).toThrow(new Ending(message));
});
