/** Storage units that are physical volumes or volume groups. */
import { isAbsolute } from "node:path";
import { roundHalfEven } from "@ganeti-ts/protocol";
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { type Finished, outputOf, succeeded } from "../../machine/runner.js";
import { isAllocatable as isOpen } from "../lvm/space.js";
import { checkLvmName } from "../lvm/volume-name.js";
import { linesOf, ran, runOrFail } from "../programs.js";
import type { StorageUnit, StorageUnits } from "./storage-units.js";

type Ports = Pick<NodeContext, "run" | "log">;

async function rows(
  { run, log }: Ports,
  program: string,
  fields: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const options = ["--noheadings", "--units=m", "--nosuffix", "--separator", "|"];
  const ended = await runOrFail(
    run,
    [program, ...options, "--options", fields.join(",")],
    `Failed to run '${program}', command output: `,
  );
  return linesOf(ended.stdout).flatMap((line) => {
    const columns = line.split("|");
    if (columns.length === fields.length) return [columns];
    log.warn(`Unexpected line of ${program}: '${line}'`);
    return [];
  });
}

const named = (units: readonly StorageUnit[], wanted: string | null): readonly StorageUnit[] =>
  wanted === null ? units : units.filter(({ name }) => name === wanted);

const whole = (text: string | undefined): number => roundHalfEven(Number(text));

export const physicalUnits = (ports: Ports): StorageUnits => ({
  async list(wanted) {
    const fields = ["pv_name", "pv_size", "pv_used", "pv_free", "pv_attr"];
    const units = (await rows(ports, "pvs", fields)).map(
      ([name = "", size, used, free, attributes = ""]) => ({
        name,
        ...{ size: whole(size), used: whole(used), free: whole(free) },
        allocatable: isOpen(attributes),
      }),
    );
    return named(units, wanted);
  },
  async setAllocatable(name, isAllocatable) {
    if (!isAbsolute(name)) throw new NodeFailure(`'${name}' is not the path of a physical volume`);
    // pvchange fails if there is nothing to change.
    const [unit] = await physicalUnits(ports).list(name);
    if (unit?.allocatable === isAllocatable) return;
    await runOrFail(
      ports.run,
      ["pvchange", "--allocatable", isAllocatable ? "y" : "n", name],
      "Failed to modify physical volume, pvchange output: ",
    );
  },
});

export const groupUnits = (ports: Ports): StorageUnits => ({
  async list(wanted) {
    const fields = ["vg_name", "vg_size", "vg_free"];
    const units = (await rows(ports, "vgs", fields)).map(([name = "", size, free]) => ({
      name,
      ...{ size: whole(size), used: roundHalfEven(Number(size) - Number(free)), free: whole(free) },
      allocatable: true,
    }));
    return named(units, wanted);
  },
  fixConsistency: (name) => removeMissing(ports, checkLvmName(name)),
});

/** Removes missing physical volumes from the group, along with the volumes on them if LVM requires that. */
async function removeMissing({ run }: Ports, group: string): Promise<void> {
  const reduce = (...more: readonly string[]): Promise<Finished> =>
    ran(run, ["vgreduce", "--removemissing", ...more, group]);
  let reduced = await reduce();
  const output = outputOf(reduced);
  if (!output.includes("Wrote out consistent volume group") || output.includes("--force")) {
    reduced = await reduce("--force");
  }
  const listed = await ran(run, ["vgs", "--noheadings", "--nosuffix", group]);
  if (succeeded(listed) && !outputOf(listed).includes("Couldn't find device with uuid")) return;
  throw new NodeFailure(
    `Volume group '${group}' still not consistent, 'vgreduce' output: ${outputOf(reduced)}, 'vgs' output: ${outputOf(listed)}`,
  );
}
