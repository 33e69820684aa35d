import { consistencyFaults } from "@ganeti-ts/config";
import type { JsonObject } from "@ganeti-ts/protocol";
import { noopOs } from "@ganeti-ts/simulated-nodes";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { describe, expect, test } from "vitest";
import { failed, refused } from "../../../test/support/results.js";
import { simulatedCluster } from "../../../test/support/simulated.js";

/** Lets virtual time pass until the work is done: helpers run for a minute. */
async function passing<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  while (!isOver) await clock.pass(1000);
  return done;
}

const images = {
  "/images/minute": "runs for 60 s",
  "/images/endless": "a machine",
};
const hosts = {
  files: images,
  operatingSystems: [noopOs, { ...noopOs, name: "wild", trusted: false }],
};

/** A cluster with web1 on node1, mirrored on node2. */
async function stage(settings: JsonObject = {}, instance: JsonObject = {}) {
  const clock = new VirtualClock();
  const cluster = await simulatedCluster({ clock, host: hosts, nodeCount: 2 });
  const { config, put } = cluster;
  const run = (opcode: JsonObject) => passing(clock, cluster.run(opcode));
  await put({ kind: "cluster", object: { ...config.snapshot.cluster, ...settings } as never });
  const made = await run(
    creationOf("web1.example.com", {
      disk_template: "drbd",
      pnode: "node1",
      snode: "node2",
      hvparams: { user_shutdown: true },
      ...instance,
    }),
  );
  const expectTidy = () => {
    expect([...config.snapshot.claims()]).toEqual([]);
    expect(consistencyFaults(config.snapshot)).toEqual([]);
    expect([cluster.volumesOn(1).length, cluster.volumesOn(2).length]).toEqual([2, 2]);
  };
  const backup = (more: JsonObject = {}) =>
    run({
      OP_ID: "OP_BACKUP_EXPORT",
      instance_name: "web1",
      mode: "local",
      target_node: "node2",
      zero_free_space: true,
      compress: "gzip",
      ...more,
    });
  return { ...cluster, run, made, expectTidy, backup };
}

const zeroing = (text: string) => `Zeroing free disk space: ${text}`;

describe.concurrent("zeroing of free space before an export", () => {
  test("zeroing runs a helper VM with the instance's disks and removes it afterwards", async () => {
    const { backup, expectTidy, runningOn, instance } = await stage({
      zeroing_image: "/images/minute",
    });
    const { status, log } = await backup();
    expect(status).toBe("success");
    expect(log.slice(0, 22)).toEqual([
      "Shutting down instance web1.example.com",
      zeroing("Shutting down instance"),
      zeroing("Deactivating disks"),
      zeroing("Attempting to create temporary disk"),
      zeroing("Temporary disk created"),
      zeroing("Activating helper VM's temporary disks"),
      zeroing("Imaging temporary disks with image /images/minute"),
      " - INFO: Imaging disk '0' for instance 'web1.example.com' on node 'node1.example.com'",
      zeroing("Starting helper VM"),
      zeroing("Helper VM is up"),
      zeroing("Waiting for helper VM to finish"),
      zeroing("Regular cleanup of temporary disk"),
      zeroing("Shutting down instance"),
      zeroing("Deactivating disks"),
      zeroing("Temporary disk removed"),
      zeroing("Helper VM execution completed"),
      "Activating disks for web1.example.com",
      "Creating a snapshot of disk/0 on node node1.example.com",
      "Starting instance web1.example.com",
      ...log.slice(19, 22),
    ]);
    expectTidy();
    expect(runningOn(1)).toEqual(["web1.example.com"]);
    expect(instance("web1")).toMatchObject({ admin_state: "up", disks_active: true });
  });

  test("a zeroing helper that exceeds its timeout is stopped", async () => {
    const { backup, expectTidy, runningOn } = await stage({ zeroing_image: "/images/endless" });
    const { result, log } = await backup({
      zeroing_timeout_fixed: 30,
      zeroing_timeout_per_mib: 0.01,
    });
    expect(result).toEqual(failed("Error running helper VM with image /images/endless"));
    expect(log).toContain(
      ` - WARNING: ${zeroing("Helper VM has not finished within the timeout; shutting it down forcibly")}`,
    );
    expect(log).toContain(zeroing("Exception raised, cleaning up temporary disk"));
    expectTidy();
    expect(runningOn(1)).toEqual([]);
  });

  test("zeroing needs an image that the node has", async () => {
    const { backup, expectTidy } = await stage({ zeroing_image: "/images/none" });
    expect((await backup()).result).toEqual(
      failed("Could not create temporary disk: Could not open file '/images/none'"),
    );
    expectTidy();
  });

  test.each([
    [{}, {}, "A zeroing image must be set for zeroing to work"],
    [{ hvparams: {} }, {}, "Instance shutdown detection must be enabled for zeroing to work"],
    [
      { hvparams: { user_shutdown: true, boot_order: "network" } },
      {},
      "Booting from disk must be set for zeroing to work",
    ],
  ])("unless it cannot be: %j", async (instance, settings, text) => {
    const { backup } = await stage(settings, instance);
    expect((await backup()).result).toEqual(refused(text, "wrong_input"));
  });
});

describe.concurrent("operating systems with untrusted scripts", () => {
  const wild = { os_type: "wild+default" };

  test("untrusted scripts install the instance from a helper VM, and it is started", async () => {
    const { made, expectTidy, runningOn, config } = await stage(
      { install_image: "/images/minute" },
      wild,
    );
    expect(made.status, JSON.stringify(made)).toBe("success");
    const { uuid } = config.snapshot.expectInstance("web1");
    expect(made.log).toContain(`Created OS install package '/tmp/${uuid}-wild.tgz'`);
    const helper = made.log.filter((line) => String(line).startsWith("Running OS create script"));
    expect(helper).toContain("Running OS create script: Helper VM execution completed");
    expect(made.log.at(-1)).toBe("* starting instance...");
    expectTidy();
    expect(runningOn(1)).toEqual(["web1.example.com"]);
  });

  test("an installation by untrusted scripts needs an image", async () => {
    const { made } = await stage({}, wild);
    expect(made.result).toEqual(
      failed("Cannot create install instance because an install image has not been specified"),
    );
  });

  test("an installation by untrusted scripts needs a hypervisor with helper VMs", async () => {
    const settings = { install_image: "/images/minute", enabled_hypervisors: ["kvm", "fake"] };
    const { made } = await stage(settings, { ...wild, hypervisor: "fake", hvparams: {} });
    expect(made.result).toEqual(
      failed("Cannot run OS scripts in a virtualized environment for hypervisor 'fake'"),
    );
  });

  test("a reinstallation by untrusted scripts runs in a helper VM", async () => {
    const { run, expectTidy, instance } = await stage({ install_image: "/images/minute" });
    await run({ OP_ID: "OP_INSTANCE_SHUTDOWN", instance_name: "web1" });
    const { status, log } = await run({
      OP_ID: "OP_INSTANCE_REINSTALL",
      instance_name: "web1",
      os_type: "wild+default",
    });
    expect(status, JSON.stringify(log)).toBe("success");
    expect(log).toContain("Running OS create script: Helper VM is up");
    expectTidy();
    expect(instance("web1")).toMatchObject({ os: "wild+default", disks_active: false });
  });
});
