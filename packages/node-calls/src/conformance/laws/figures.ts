import { lawsOf } from "../law.js";
import { creation, volume } from "./disks.js";

const clusterName = "cluster.example.com";

export const figureLaws = [
  ...lawsOf("figures", ["lvm", "instances"], {
    async "A node reports what was asked for, in that order, and its boot does not change."(trial) {
      const { volumeGroup, hypervisor } = trial.stage;
      trial.holds((await trial.ask(0, "version", {})).protocol >= 3_000_000, "an old protocol");
      const storage = [
        { type: "lvm-pv", key: volumeGroup, exclusive: false },
        { type: "lvm-vg", key: volumeGroup, exclusive: false },
      ];
      const hypervisors = [{ name: hypervisor, hvparams: {} }];
      const answer = await trial.ask(0, "node_info", { storage, hypervisors });
      trial.same(
        answer.storage?.map(({ type }) => type),
        ["lvm-pv", "lvm-vg"],
        "order of storage units",
      );
      trial.same(answer.hypervisors?.length, 1, "number of hypervisors");
      const { memoryTotalMib = 0, memoryFreeMib = 0 } = answer.hypervisors?.[0] ?? {};
      trial.holds(memoryFreeMib <= memoryTotalMib, "more memory is free than there is");
      const nothing = await trial.ask(0, "node_info", { storage: null, hypervisors: null });
      trial.same(nothing, { bootId: answer.bootId, storage: null, hypervisors: null }, "nothing");
    },
  }),
  ...lawsOf("figures", ["lvm", "block devices"], {
    async "Device files are listed with their sizes, missing ones are not."(trial) {
      await trial.ask(0, "blockdev_create", creation(volume(trial)));
      const path = `/dev/${trial.stage.volumeGroup}/data`;
      const sizes = await trial.ask(0, "bdev_sizes", { paths: [path, "/dev/missing"] });
      trial.same(sizes, { [path]: 512 }, "sizes of device files");
      await trial.ask(0, "blockdev_remove", { disk: volume(trial) });
    },
  }),
  ...lawsOf("figures", ["lvm"], {
    async "A volume takes its size from the free space, and all lists show it."(trial) {
      const { volumeGroup } = trial.stage;
      const storage = [{ type: "lvm-vg", key: volumeGroup, exclusive: false }];
      const free = async () =>
        (await trial.ask(0, "node_info", { storage, hypervisors: null })).storage?.[0]?.free ?? 0;
      const before = await free();
      await trial.ask(0, "blockdev_create", creation(volume(trial)));
      trial.same(await free(), before - 512, "free space after a creation");
      const listed = await trial.ask(0, "lv_list", { volumeGroups: [volumeGroup] });
      trial.same(listed.filter(({ name }) => name === "data").length, 1, "listed volumes");
      const parts = await trial.ask(0, "node_volumes", {});
      trial.holds(
        parts.some(({ name }) => name === "data"),
        "a volume has no physical volume",
      );
      const groups = await trial.ask(0, "vg_list", {});
      trial.holds((groups[volumeGroup] ?? 0) >= before, "a group is smaller than its free space");
      await trial.ask(0, "blockdev_remove", { disk: volume(trial) });
      trial.same(await free(), before, "free space after a removal");
    },
  }),
  ...lawsOf("figures", [], {
    async "Questions about bridges, addresses and files tell existing from missing ones."(trial) {
      const { bridge } = trial.stage;
      await trial.ask(0, "bridges_exist", { bridges: [bridge] });
      const bridges = [bridge, "missing0"];
      const why = await trial.refused(0, "bridges_exist", { bridges }, "a bridge is missing");
      trial.holds(why.includes("missing0") && !why.includes(bridge), `wrong bridges in: ${why}`);
      const address = "198.51.100.99";
      trial.same(await trial.ask(0, "node_has_ip_address", { address }), false, "an address");
      const file = await trial.ask(0, "get_file_info", { path: "/missing/file" });
      trial.same(file.exists, false, "a missing file");
    },

    async "A verification answers what was asked, and nothing else."(trial) {
      for (const name of ["node_verify", "node_verify_light"] as const) {
        trial.same(await trial.ask(0, name, { clusterName }), {}, `${name} without checks`);
        const answer = await trial.ask(0, name, {
          clusterName,
          version: true,
          time: true,
          bridges: ["missing0"],
          nodeSetup: true,
          ssh: { nodes: [], more: {}, candidates: [] },
        });
        trial.same(
          Object.keys(answer).sort(),
          ["missingBridges", "nodeSetup", "unreachedBySsh", "version", "wallMicros"],
          `parts of ${name}`,
        );
        trial.same(answer.missingBridges, ["missing0"], "missing bridges");
      }
    },
  }),
  ...lawsOf("figures", ["drbd"], {
    async "A node tells the usermode helper of its mirrors."(trial) {
      const drbdHelper = await trial.ask(0, "drbd_helper", {});
      trial.holds(drbdHelper.startsWith("/"), `the helper is ${drbdHelper}`);
      const answer = await trial.ask(0, "node_verify", { clusterName, drbdHelper });
      trial.same(answer.drbdHelper, { ok: true, text: drbdHelper }, "the helper of a verification");
    },
  }),
];
