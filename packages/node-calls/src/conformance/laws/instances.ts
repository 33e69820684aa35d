import type { InstanceOnNode } from "../../objects/instance.js";
import { lawsOf } from "../law.js";
import { anInstance } from "../objects.js";
import type { Trial } from "../trial.js";
import { creation, volume } from "./disks.js";

const ownInstance = ({ stage }: Trial, change: Partial<InstanceOnNode> = {}): InstanceOnNode =>
  anInstance({ hypervisor: stage.hypervisor, os: stage.os, ...change });

const hypervisors = ({ stage }: Trial) => ({
  hypervisors: [{ name: stage.hypervisor, hvparams: stage.hvparams ?? {} }],
});

const running = (trial: Trial, node = 0) => trial.ask(node, "instance_list", hypervisors(trial));

async function started(trial: Trial, instance: InstanceOnNode): Promise<void> {
  await trial.ask(0, "instance_start", { instance, startupPaused: false, reason: [] });
}

export const instanceLaws = [
  ...lawsOf("instances", ["instances"], {
    async "An instance runs from its start to its shutdown, and both may be repeated."(trial) {
      const instance = ownInstance(trial);
      const name = { name: instance.name, hypervisor: hypervisors(trial).hypervisors[0] as never };
      trial.same(await trial.ask(0, "instance_info", name), null, "an instance not yet started");
      await started(trial, instance);
      await started(trial, instance);
      trial.same(await running(trial), [instance.name], "instances that run");
      const all = await trial.ask(0, "all_instances_info", hypervisors(trial));
      const one = await trial.ask(0, "instance_info", name);
      trial.same(one?.memoryMib, all[instance.name]?.memoryMib, "memory in both calls");
      trial.holds((one?.memoryMib ?? 0) >= 512, "an instance has less than its minimum of memory");
      await trial.ask(0, "instance_balloon_memory", { instance, memoryMib: 600 });
      trial.same((await trial.ask(0, "instance_info", name))?.memoryMib, 600, "new memory");
      const reboot = { instance, type: "hard", shutdownTimeoutSeconds: 1 } as const;
      await trial.ask(0, "instance_reboot", reboot);
      const stop = { instance, timeoutSeconds: 1, reason: [] };
      await trial.ask(0, "instance_shutdown", stop);
      await trial.ask(0, "instance_shutdown", stop);
      trial.same(await running(trial), [], "instances that run after the shutdown");
      await trial.refused(0, "instance_reboot", reboot, "the instance does not run");
    },
  }),
  ...lawsOf("instances", ["instances", "lvm"], {
    async "An instance without its disks is not started."(trial) {
      const instance = ownInstance(trial, { disks: [volume(trial)] });
      const start = { instance, startupPaused: false };
      await trial.refused(0, "instance_start", start, "its disk is missing");
      trial.same(await running(trial), [], "instances that run");
      await trial.ask(0, "blockdev_create", creation(volume(trial)));
      const [disk] = instance.disks;
      if (disk === undefined) return;
      await trial.ask(0, "blockdev_assemble", { disk, instance, asPrimary: true, index: 0 });
      await started(trial, instance);
    },
  }),
  ...lawsOf("instances", ["migration"], {
    async "A migrated instance runs on the target and no longer on the source."(trial) {
      const instance = ownInstance(trial);
      await trial.refused(0, "instance_migratable", { instance }, "the instance does not run");
      await started(trial, instance);
      await trial.ask(0, "instance_migratable", { instance });
      const info = await trial.ask(0, "migration_info", { instance });
      const target = trial.stage.members[1].secondaryIp;
      await trial.ask(1, "accept_instance", { instance, info, target });
      const move = { instance, clusterName: "cluster.example.com", target, live: true };
      await trial.ask(0, "instance_migrate", move);
      for (let time = 0; time < 600; time++) {
        const { status } = await trial.ask(0, "instance_get_migration_status", { instance });
        if (status === "completed") break;
        trial.same(status, "active", "status of a migration");
        await trial.stage.pass(1000);
      }
      const end = { instance, success: true, live: true };
      await trial.ask(0, "instance_finalize_migration_src", end);
      await trial.ask(1, "instance_finalize_migration_dst", { instance, info, success: true });
      trial.same([await running(trial), await running(trial, 1)], [[], [instance.name]], "runs");
    },
  }),
  ...lawsOf("instances", ["instances", "operating systems"], {
    async "A node describes the console, runs the scripts of the OS, and checks parameters."(
      trial,
    ) {
      const instance = ownInstance(trial);
      const [first] = trial.stage.members;
      const { uuid, name, hypervisor: type } = instance;
      const stored = { uuid, name, hypervisor: type, os: trial.stage.os, nics: [], disks: [] };
      const request = {
        instance: stored,
        node: { name: first.name },
        group: {},
        hvparams: {},
        beparams: {},
      };
      const asked = { instances: { [instance.name]: request } };
      const consoles = await trial.ask(0, "instance_console_info", asked);
      trial.same(consoles[instance.name]?.instance, instance.name, "a console's instance");
      await trial.ask(0, "instance_os_add", { instance, reinstall: false, debugLevel: 0 });
      const renamed = { instance, oldName: "old.example.com", debugLevel: 0 };
      await trial.ask(0, "instance_run_rename", renamed);
      const osparams = { public: {}, private: {}, secret: {} };
      await trial.ask(0, "instance_metadata_modify", { instance: stored, osparams });
      const [hypervisor] = hypervisors(trial).hypervisors;
      if (hypervisor) await trial.ask(0, "hypervisor_validate_params", hypervisor);
      const unknown = { ...instance, os: "missing+default" };
      const add = { instance: unknown, reinstall: false, debugLevel: 0 };
      await trial.refused(0, "instance_os_add", add, "there is no such OS");
    },
  }),
  ...lawsOf("instances", ["hotplug", "lvm"], {
    async "Devices are attached to an instance that runs, a disk only where it is set up."(trial) {
      const instance = ownInstance(trial);
      await trial.refused(0, "hotplug_supported", { instance }, "the instance does not run");
      await started(trial, instance);
      await trial.ask(0, "hotplug_supported", { instance });
      const nicparams = { mode: "bridged", link: trial.stage.bridge };
      const device = { uuid: "uuid-nic", mac: "aa:00:00:00:00:01", nicparams };
      const what = { type: "nic", device, index: 0 } as const;
      await trial.ask(0, "hotplug_device", { instance, action: "add", what });
      await trial.ask(0, "hotplug_device", { instance, action: "remove", what });
      const disk = volume(trial);
      await trial.ask(0, "blockdev_create", creation(disk));
      const assembly = { disk, instance, asPrimary: true, index: 0 };
      const { link, uri } = await trial.ask(0, "blockdev_assemble", assembly);
      const plug = (
        action: "add" | "remove",
        extra: { link: string | null; uri: string | null } | null,
      ) => ({ instance, action, what: { type: "disk", device: disk, index: 0, extra } }) as const;
      await trial.refused(0, "hotplug_device", plug("add", null), "the disk has no device");
      await trial.ask(0, "hotplug_device", plug("add", { link, uri }));
      await trial.ask(0, "hotplug_device", plug("remove", null));
    },
  }),
];
