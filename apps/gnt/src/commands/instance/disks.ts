/** `gnt-instance` activate-disks, deactivate-disks, recreate-disks, grow-disk and replace-disks. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode, runs } from "../../jobs/follow.js";
import { fromOptions, ifSet, ifUnset, opcode } from "../../opcode.js";
import { mebibytes } from "../../parsing/size.js";
import { splitNodes } from "./creation.js";
import { deviceIndex, diskSize, spindleCount } from "./devices.js";

export async function activate(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const active = await runOpcode(
    invocation,
    opcode("OP_INSTANCE_ACTIVATE_DISKS", {
      instance_name: args[0] ?? "",
      ...fromOptions(options, "ignore-size", "wait-for-sync"),
    }),
  );
  for (const disk of active as readonly (readonly string[])[]) out.line(disk.join(":"));
  return 0;
}

export const deactivate = runs(({ args, options }) =>
  opcode("OP_INSTANCE_DEACTIVATE_DISKS", {
    instance_name: args[0] ?? "",
    force: ifSet(options.flag("force")),
  }),
);

export const recreate = runs(({ args: [name = ""], options }) =>
  recreateDisksOpcode(name, options),
);

/** @throws GanetiError */
export function recreateDisksOpcode(name: string, options: OptionValues): OpcodeJson {
  const iallocator = options.text("iallocator");
  const nodes = splitNodes(options.text("node")).flatMap((node) => node ?? []);
  if (nodes.length > 0 && iallocator !== undefined) {
    throw prereqError("At most one of either --nodes or --iallocator can be passed");
  }
  const disks = options.idKeyValues("disk").map(([id, parameters]): [number, JsonObject] => {
    const at = deviceIndex(id, "disk");
    if (parameters === null || parameters === false) {
      const shown = parameters === null ? "None" : "False";
      throw prereqError(`Invalid disk/${at} value: expected dict, got ${shown}`);
    }
    const { size, spindles, ...others } = parameters;
    return [
      at,
      {
        ...others,
        ...(size === undefined ? {} : { size: diskSize(size, at) }),
        ...(spindles === undefined ? {} : { spindles: spindleCount(spindles, at) }),
      },
    ];
  });
  return opcode("OP_INSTANCE_RECREATE_DISKS", { instance_name: name, disks, nodes, iallocator });
}

export const grow = runs(({ args, options }) => growDiskOpcode(args, options));

/** Arguments: instance, index of the disk, and amount. @throws GanetiError */
export function growDiskOpcode(args: readonly string[], options: OptionValues): OpcodeJson {
  const [name = "", index = "", by = ""] = args;
  if (!/^\s*[+-]?\d+\s*$/.test(index)) {
    throw prereqError(`Invalid disk index: invalid literal for int() with base 10: '${index}'`);
  }
  return opcode("OP_INSTANCE_GROW_DISK", {
    instance_name: name,
    disk: Number(index),
    amount: amountOf(by),
    wait_for_sync: ifUnset(options.flag("no-wait-for-sync")),
    ...fromOptions(options, "absolute", "ignore-ipolicy"),
  });
}

function amountOf(given: string): number {
  try {
    return mebibytes(given);
  } catch {
    throw prereqError(`Can't parse the given amount '${given}'`);
  }
}

export const replace = runs(({ args: [name = ""], options }) => replaceDisksOpcode(name, options));

/** @throws GanetiError unless exactly one option selects the side */
export function replaceDisksOpcode(name: string, options: OptionValues): OpcodeJson {
  const disks = indexes(options.text("disks"));
  const remote_node = options.text("new-secondary");
  const iallocator = options.text("iallocator");
  const ways = [
    ...(options.flag("on-primary") ? ["replace_on_primary"] : []),
    ...(options.flag("on-secondary") ? ["replace_on_secondary"] : []),
    ...(options.flag("auto") ? ["replace_auto"] : []),
    ...(remote_node === undefined ? [] : ["replace_new_secondary"]),
    ...(iallocator === undefined ? [] : ["replace_new_secondary"]),
  ];
  const [mode] = ways;
  if (ways.length !== 1) {
    throw prereqError("One and only one of the -p, -s, -a, -n and -I options must be passed");
  }
  if (mode === "replace_auto" && disks.length > 0) {
    throw prereqError("Cannot specify disks when using automatic mode");
  }
  return opcode("OP_INSTANCE_REPLACE_DISKS", {
    instance_name: name,
    mode,
    disks,
    remote_node,
    iallocator,
    ...fromOptions(options, "early-release", "ignore-ipolicy"),
  });
}

/** `0,2`. @throws GanetiError */
function indexes(given: string | undefined): number[] {
  if (given === undefined) return [];
  return given.split(",").map((index) => {
    if (/^\s*[+-]?\d+\s*$/.test(index)) return Number(index);
    throw prereqError(
      `Invalid disk index passed: invalid literal for int() with base 10: '${index}'`,
    );
  });
}
