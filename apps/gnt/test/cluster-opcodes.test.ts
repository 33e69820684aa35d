import { hostname } from "node:os";
import { decodeOpcode } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import type { OpcodeJson } from "../src/cluster.js";
import type { Program } from "../src/command.js";
import { modifyOpcode as clusterModify } from "../src/commands/cluster/modify-opcode.js";
import { newClusterFile } from "../src/commands/cluster/new-cluster.js";
import { verifyOpcode } from "../src/commands/cluster/verify.js";
import * as group from "../src/commands/group/changes.js";
import * as network from "../src/commands/network/changes.js";
import * as node from "../src/commands/node/opcodes.js";
import { powerOpcodes } from "../src/commands/node/power.js";
import { failureOf } from "../src/failure.js";
import type { OptionValues } from "../src/invocation.js";
import { errorCodes } from "../src/options/cluster.js";
import { program as gntCluster } from "../src/programs/gnt-cluster.js";
import { program as gntGroup } from "../src/programs/gnt-group.js";
import { program as gntNetwork } from "../src/programs/gnt-network.js";
import { program as gntNode } from "../src/programs/gnt-node.js";
import { given } from "./told.js";

const silent = () => undefined;

const programs = [gntCluster, gntGroup, gntNetwork, gntNode];

/** Options of a whole command line. */
function optionsIn(line: string): OptionValues {
  const [, name, command = "", rest = ""] = /^(\S+) (\S+) ?(.*)$/.exec(line) ?? [];
  const program = programs.find((one) => one.name === name) as Program;
  return given(program, command, rest).options;
}

const clusterOf = (line: string) => clusterModify(optionsIn(`gnt-cluster modify ${line}`), silent);

/** Message for a refused command line. */
function refusal(build: () => unknown): string {
  try {
    build();
  } catch (error) {
    return failureOf(error)?.text ?? (error as Error).message;
  }
  throw new Error("it was not refused");
}

const bounds =
  "min:cpu-count=1,disk-count=0,disk-size=0,memory-size=4,nic-count=0,spindle-use=0" +
  "/max:cpu-count=8,disk-count=16,disk-size=1t,memory-size=32g,nic-count=8,spindle-use=12";

type Build = (options: OptionValues) => OpcodeJson;

describe("command lines become opcodes", () => {
  const cases: readonly (readonly [line: string, build: Build, expected: object])[] = [
    [
      "gnt-cluster modify -f -C 7 -B maxmem=2g -H kvm:kernel_path=,no_acpi -N link=br1" +
        " --uid-pool 30,10-20 --reserved-lvs 'a,b\\,c' --compression-tools=" +
        " --enabled-disk-templates plain,drbd --default-iallocator hail" +
        " --disk-state lvm/xenvg:size=7 --hypervisor-state kvm:mem=1" +
        " --enabled-data-collectors drbd=True,lv=no --data-collector-interval lv=2.5" +
        " -D drbd:metavg=fast -D plain:stripes=2 --user-shutdown yes" +
        ` --ipolicy-bounds-specs ${bounds} --ipolicy-std-specs memory-size=1g` +
        " --ipolicy-vcpu-ratio 2.5 --ipolicy-disk-templates plain",
      (options) => clusterModify(options, silent),
      {
        force: true,
        candidate_pool_size: 7,
        beparams: { maxmem: "2g" },
        hvparams: { kvm: { kernel_path: "", acpi: false } },
        nicparams: { link: "br1" },
        uid_pool: [
          [10, 20],
          [30, 30],
        ],
        reserved_lvs: ["a", "b,c"],
        compression_tools: ["gzip", "gzip-fast", "gzip-slow"],
        enabled_disk_templates: ["plain", "drbd"],
        default_iallocator: "hail",
        disk_state: { lvm: { xenvg: { size: "7" } } },
        hv_state: { kvm: { mem: "1" } },
        enabled_data_collectors: { drbd: true, lv: false },
        data_collector_interval: { lv: 2_500_000 },
        diskparams: { drbd: { metavg: "fast" }, plain: { stripes: "2" } },
        enabled_user_shutdown: true,
        ipolicy: {
          minmax: [
            {
              min: { "memory-size": 4, "disk-size": 0 },
              max: { "memory-size": 32768, "disk-size": 1048576 },
            },
          ],
          std: { "memory-size": 1024 },
          "vcpu-ratio": 2.5,
          "disk-templates": ["plain"],
        },
      },
    ],
    [
      "gnt-cluster verify --error-codes --no-nplus1-mem -g rack2 -I ENODEN1 -I EEXTAGS",
      verifyOpcode,
      {
        error_codes: true,
        skip_checks: ["nplusone_mem"],
        group_name: "rack2",
        ignore_errors: ["ENODEN1", "EEXTAGS"],
      },
    ],
    [
      `gnt-cluster verify -I ${errorCodes.join(" -I ")}`,
      verifyOpcode,
      { ignore_errors: errorCodes },
    ],
    [
      "gnt-group modify --alloc-policy last_resort --node-parameters spindle_count=2" +
        " --ipolicy-bounds-specs default --ipolicy-spindle-ratio default",
      (options) => group.modifyOpcode("g", options),
      {
        alloc_policy: "last_resort",
        ndparams: { spindle_count: "2" },
        ipolicy: { minmax: "default", "spindle-ratio": "default" },
      },
    ],
    [
      "gnt-group evacuate --to a --to b --sequential",
      (options) => group.evacuateOpcode("g", options),
      { target_groups: ["a", "b"], sequential: true, force_failover: false },
    ],
    [
      "gnt-node add --primary-ip 192.0.2.7 -g g --vm-capable no",
      (options) => node.addOpcode("n", options, undefined),
      { primary_ip: "192.0.2.7", group: "g", vm_capable: false, readd: false },
    ],
    [
      "gnt-node modify -O yes --auto-promote --node-powered=no",
      (options) => node.modifyOpcode("n", options),
      { offline: true, auto_promote: true, powered: false, force: false },
    ],
    [
      "gnt-node evacuate -s -I hail",
      (options) => node.evacuateOpcode("n", options),
      { mode: "secondary-only", iallocator: "hail" },
    ],
    [
      "gnt-node migrate --non-live -n m",
      (options) => node.migrateOpcode("n", options),
      { mode: "non-live", target_node: "m", allow_runtime_changes: true },
    ],
    [
      "gnt-network add --network 10.0.0.0/24 --add-reserved-ips 10.0.0.5,10.0.0.6" +
        " --tags a,b --no-conflicts-check",
      (options) => network.addOpcode("w", options),
      {
        network: "10.0.0.0/24",
        add_reserved_ips: ["10.0.0.5", "10.0.0.6"],
        tags: ["a", "b"],
        conflicts_check: false,
      },
    ],
    [
      "gnt-network modify --gateway 10.0.0.1",
      (options) => network.modifyOpcode("w", options),
      { gateway: "10.0.0.1" },
    ],
    [
      "gnt-network connect -N link=br1",
      (options) => network.connectOpcodes("w", ["g"], options)[0] as OpcodeJson,
      { network_mode: "bridged", network_link: "br1", network_vlan: "" },
    ],
  ];

  test.each(cases)("%s", (line, build, expected) => {
    const opcode = build(optionsIn(line));
    expect(opcode).toMatchObject(expected);
    const decoded = decodeOpcode(opcode);
    expect(decoded.ok ? "" : decoded.problem).toBe("");
  });
});

test("nodes are marked offline before they are switched off, unless their status is ignored", () => {
  const idsOf = (line: string) =>
    powerOpcodes("off", ["a", "b"], optionsIn(line)).map(({ OP_ID }) => OP_ID);
  expect(idsOf("gnt-node power")).toEqual([
    "OP_NODE_SET_PARAMS",
    "OP_NODE_SET_PARAMS",
    "OP_OOB_COMMAND",
  ]);
  expect(idsOf("gnt-node power --ignore-status")).toEqual(["OP_OOB_COMMAND"]);
});

test("lists of allocators can be given by type of request", () => {
  const words = ["relocate=hail,mine", "allocate=hail", "change-group="];
  const options = words.map((one) => `--default-iallocator-for ${one}`).join(" ");
  expect(clusterOf(options).default_iallocator).toEqual({
    relocate: ["hail", "mine"],
    allocate: ["hail"],
    "change-group": [],
  });
});

describe("invalid command lines are refused before a job is submitted", () => {
  const nothing = "Please give at least one of the parameters.";
  const wrong =
    "Failure: prerequisites not met for this operation:\nerror type: wrong_input, error details:\n";
  const ofCluster: Build = (options) => clusterModify(options, silent);

  test.each<readonly [line: string, build: (options: OptionValues) => unknown, text: string]>([
    ["gnt-cluster modify", ofCluster, nothing],
    ["gnt-node modify --auto-promote", (options) => node.modifyOpcode("n", options), nothing],
    ["gnt-network modify", (options) => network.modifyOpcode("w", options), nothing],
    [
      "gnt-network add",
      (options) => network.addOpcode("w", options),
      `${wrong}The --network option must be given`,
    ],
    [
      "gnt-node evacuate -p -s",
      node.evacuationMode,
      `${wrong}Only one of the --primary-only and --secondary-only options can be passed`,
    ],
    [
      "gnt-cluster modify --ipolicy-bounds-specs min:cpu-count=1/max:cpu-count=2",
      ofCluster,
      `${wrong}Missing parameters in ipolicy spec min: disk-count, disk-size, memory-size, nic-count, spindle-use`,
    ],
    [
      "gnt-cluster modify --ipolicy-std-specs cpu-count=many",
      ofCluster,
      "Parameter Error: 'cpu-count' (value many) is not a valid integer",
    ],
    [
      "gnt-cluster modify --uid-pool 1-2-3",
      ofCluster,
      `${wrong}Invalid user-id range definition. Only one hyphen allowed: ['1', '2', '3']`,
    ],
    [
      "gnt-cluster modify --ipolicy-vcpu-ratio default",
      ofCluster,
      "option --ipolicy-vcpu-ratio: invalid floating-point value: 'default'",
    ],
  ])("%s", (line, build, text) => expect(refusal(() => build(optionsIn(line)))).toBe(text));
});

describe("settings of a new cluster", () => {
  const fileOf = (...words: string[]) => {
    const told: string[] = [];
    const { options } = given(gntCluster, "init", ["--simulated", ...words].join(" "));
    return { file: newClusterFile("demo.example.com", options, (text) => told.push(text)), told };
  };

  test("a new cluster has its master in its own domain, and only given values", () => {
    expect(fileOf().file).toEqual({
      nodes: [{ name: "node1.example.com" }],
      groups: ["default"],
      cluster: {
        ssh_key_type: "rsa",
        ssh_key_bits: 2048,
        file_storage_dir: "/srv/ganeti/file-storage",
        shared_file_storage_dir: "/srv/ganeti/shared-file-storage",
        gluster_storage_dir: "/var/run/ganeti/gluster",
      },
      parameters: {},
    });
  });

  test("a new cluster of machines has this machine as its master", () => {
    const { options } = given(gntCluster, "init", "");
    const { nodes } = newClusterFile("demo.example.com", options, () => {});
    expect(nodes).toEqual([{ name: hostname() }]);
  });

  test("the file of a new cluster separates unchecked settings from changes", () => {
    const { file } = fileOf(
      ...["--nodes", "2", "--vg-name", "fast", "--master-netmask", "24", "-C", "5"],
      ...["--no-ssh-init", "--enabled-hypervisors", "kvm", "-B", "vcpus=2"],
      ...["--specs-mem-size", "max=8g", "--ipolicy-vcpu-ratio", "8"],
    );
    expect(file).toMatchObject({
      nodes: [{ name: "node1.example.com" }, { name: "node2.example.com" }],
      hypervisors: ["kvm"],
      cluster: { volume_group_name: "fast", master_netmask: 24, modify_ssh_setup: false },
      parameters: {
        candidate_pool_size: 5,
        beparams: { vcpus: "2" },
        ipolicy: { "vcpu-ratio": 8, minmax: [{ max: { "memory-size": 8192, "cpu-count": 8 } }] },
      },
    });
    expect(file.parameters).not.toHaveProperty("vg_name");
  });

  test("options of init without effect are named", () => {
    expect(fileOf("--enabled-disk-templates", "file", "--vg-name", "fast").told).toEqual([
      "You specified a volume group with --vg-name, but you did not enable any disk template that uses lvm.",
    ]);
  });

  test.each([
    [["--vg-name="], "LVM disk templates are enabled, but vg name not set."],
    [
      ["--drbd-usermode-helper="],
      "Unsetting the drbd usermode helper while enabling DRBD is not allowed.",
    ],
    [["--secondary-ip", "192.0.2.x"], /\(192.0.2.x\) has to be a valid IPv4 address/],
    [["--primary-ip", "master"], /\(master\) has to be a valid IP address/],
    [["--primary-ip-version", "5"], "Invalid primary ip version value: '5' is neither 4 nor 6"],
    [
      ["--specs-cpu-count", "max=3", "--ipolicy-std-specs", "cpu-count=1"],
      /A --specs-xxx option cannot be/,
    ],
    [
      ["--ssh-key-type", "dsa", "--ssh-key-bits", "2048"],
      /Invalid key type and bit size combination: dsa with 2048 bits/,
    ],
  ])("is refused with %j", (words, text) => expect(refusal(() => fileOf(...words))).toMatch(text));
});
