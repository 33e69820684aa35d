/** Commands of gnt-instance that make, change and remove instances. */
import { anyNumber, type Commands, one } from "../../command.js";
import { addOptions, nameCheckOptions, newInstanceOptions } from "../../options/creation.js";
import {
  backendOption,
  diskOption,
  diskTemplateOption,
  fileDriverOption,
  fileStorageDirOption,
  forceVariantOption,
  hypervisorOption,
  netOption,
  noConflictsCheckOption,
  noWaitForSyncOption,
  osOption,
  osParameterOptions,
  osParametersOption,
  osParametersPrivateOption,
  selectorOptions,
  singleNodeOption,
} from "../../options/instance.js";
import { flag, keyValues, size, text, yesNo } from "../../options/kinds.js";
import {
  dryRun,
  force,
  iallocator,
  ignoreIpolicy,
  priority,
  shutdownTimeout,
  submitting,
} from "../../options/shared.js";

export const creationCommands: Commands = {
  add: {
    summary: "Creates and adds a new instance to the cluster",
    usage: "[...] -t disk-type -n node[:secondary-node] -o os-type <instance-name>",
    arguments: [{ kind: "host", min: 0, max: 1 }],
    options: [...newInstanceOptions, ...submitting, dryRun, priority, ...addOptions],
    examples: {
      "gnt-instance add -t drbd --disk 0:size=20g -B memory=2g,vcpus=2 -o debian+stable web1.example.com":
        "a mirrored instance; the default allocator chooses its nodes",
      "gnt-instance add -t plain -s 10g -n node1.example.com -o debian+stable web2.example.com":
        "one disk of 10 GiB, on a given node",
      "gnt-instance add -t drbd -s 20g -m 2g -o debian+stable --explain web3.example.com":
        "shows where it would go and why, and changes nothing",
      "gnt-instance add --forthcoming -t drbd -s 20g -m 2g":
        "reserves resources for an instance without a name, and prints its UUID",
      "gnt-instance add --commit -o debian+stable web4.example.com":
        "creates the instance reserved under that name (gnt-instance rename UUID NAME)",
    },
    load: async () => (await import("./add.js")).run,
  },
  "batch-create": {
    summary: "Create a bunch of instances based on specs in the file.",
    usage: "<instances.json>",
    arguments: one("file"),
    options: [dryRun, priority, iallocator, ...submitting],
    examples: {
      "gnt-instance batch-create -I hail instances.json":
        "places all instances of the file together, then creates each in a job of its own",
    },
    load: async () => (await import("./batch-create.js")).run,
  },
  modify: {
    summary: "Alters the parameters of an instance",
    usage: "<instance-name>",
    arguments: one("instance"),
    options: [
      ...[backendOption, diskOption, force, hypervisorOption, netOption, ...submitting],
      ...[diskTemplateOption, singleNodeOption, iallocator, osOption, forceVariantOption],
      ...[osParametersOption, osParametersPrivateOption, dryRun, priority, noWaitForSyncOption],
      flag("offline", "Mark it as not to be started"),
      flag("online", "Mark it as down, so that it can be started again"),
      ignoreIpolicy,
      size("runtime-memory", "<size>", "New memory of the running instance, within its limits", {
        short: "m",
      }),
      noConflictsCheckOption,
      text("new-primary", "<node>", "New primary node", { completes: "node" }),
      text("hypervisor", "<hypervisor>", "New hypervisor of a reservation"),
      flag("hotplug", "Change disks and NICs of a running instance immediately (default)"),
      flag("no-hotplug", "Change disks and NICs at the next start"),
      flag(
        "hotplug-if-possible",
        "Change disks and NICs of a running instance immediately if the hypervisor can",
      ),
      yesNo("communication", "Whether the instance has a network interface to its node", {
        short: "c",
      }),
      keyValues(
        "ext-params",
        "EXT_PARAMS",
        "Provider of external storage and its parameters, for a conversion",
        { short: "e" },
      ),
      ...[fileDriverOption, fileStorageDirOption],
    ],
    examples: {
      "gnt-instance modify -B maxmem=4g,minmem=2g web1.example.com":
        "changes its memory at the next start",
      "gnt-instance modify --disk add:size=10g,name=data web1.example.com": "adds a disk",
      "gnt-instance modify --net 0:network=net1,ip=pool web1.example.com":
        "gives its first NIC an address of a network",
      "gnt-instance modify -t drbd -n node2.example.com web1.example.com":
        "mirrors the disks to another node",
    },
    load: async () => (await import("./modify.js")).run,
  },
  reinstall: {
    summary: "Reinstall a stopped instance",
    usage: "[-f] <instance>",
    arguments: anyNumber("instance"),
    options: [
      ...[force, osOption, forceVariantOption, ...selectorOptions],
      flag("select-os", "Choose the operating system from a list"),
      ...[...submitting, dryRun, priority, ...osParameterOptions],
    ],
    examples: {
      "gnt-instance reinstall -o debian+testing web1.example.com":
        "reinstalls it with another operating system, after a confirmation",
    },
    load: async () => (await import("./reinstall.js")).run,
  },
  remove: {
    summary: "Shuts down the instance and removes it",
    usage: "[-f] <instance-name>",
    arguments: one("instance"),
    options: [
      ...[force, shutdownTimeout],
      flag(
        "ignore-failures",
        "Remove it from the configuration even if its disks cannot be removed",
      ),
      ...[...submitting, dryRun, priority],
    ],
    examples: {
      "gnt-instance remove web1.example.com": "removes it with its disks, after a confirmation",
    },
    load: async () => (await import("./changes.js")).remove,
  },
  rename: {
    summary: "Rename the instance",
    usage: "<old-name> <new-name>",
    arguments: [...one("instance"), ...one("host")],
    options: [force, ...nameCheckOptions, ...submitting, dryRun, priority],
    examples: {
      "gnt-instance rename web1.example.com www.example.com": "renames a stopped instance",
      "gnt-instance rename 2c3e1f0a-8d5b-4b8e-9d53-0d6f4a1c7b21 web5.example.com":
        "gives a reservation its name",
    },
    load: async () => (await import("./changes.js")).rename,
  },
};
