import { lawsOf } from "../law.js";

export const storageLaws = [
  ...lawsOf("storage", ["lvm"], {
    async "Units of storage are listed with the requested fields, in their order."(trial) {
      const unit = { type: "lvm-pv", directories: [] };
      const fields = ["allocatable", "size", "name"] as const;
      const list = () => trial.ask(0, "storage_list", { ...unit, name: null, fields });
      const [row] = await list();
      if (row === undefined) return trial.end("no physical volume is listed");
      trial.same(
        row.map((value) => typeof value),
        ["boolean", "number", "string"],
        "types of values",
      );
      const name = String(row[2]);
      await trial.ask(0, "storage_modify", { ...unit, name, changes: { allocatable: false } });
      trial.same((await list()).find((one) => one[2] === name)?.[0], false, "allocatable");
      await trial.ask(0, "storage_modify", { ...unit, name, changes: { allocatable: true } });
      const repair = { type: "lvm-vg", directories: [], name: trial.stage.volumeGroup };
      await trial.ask(0, "storage_execute", { ...repair, operation: "fix-consistency" });
    },
  }),
  ...lawsOf("storage", ["file storage"], {
    async "A directory for disks is made, renamed and removed, each also when it is repeated."(
      trial,
    ) {
      const directory = `${trial.stage.fileDirectory}/web.example.com`;
      const to = `${trial.stage.fileDirectory}/db.example.com`;
      await trial.ask(0, "file_storage_dir_create", { directory });
      const disk = (path: string) => ({
        uuid: "uuid-file",
        dev_type: "file" as const,
        logical_id: ["loop", `${path}/disk0`],
        size: 64,
        params: {},
        children: [],
      });
      await trial.ask(0, "file_storage_dir_rename", { from: directory, to });
      const creation = { sizeMib: 64, owner: "db.example.com", onPrimary: true, info: "" };
      const made = { ...creation, disk: disk(to), exclusiveStorage: false };
      await trial.ask(0, "blockdev_create", made);
      await trial.refused(0, "file_storage_dir_remove", { directory: to }, "it is not empty");
      await trial.ask(0, "blockdev_remove", { disk: disk(to) });
      await trial.ask(0, "file_storage_dir_remove", { directory: to });
      await trial.refused(0, "blockdev_create", made, "its directory was removed");
    },
  }),
];
