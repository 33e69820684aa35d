/** `gnt-instance` activate-disks, deactivate-disks, recreate-disks and grow-disk. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { ifSet, ifUnset, opcode } from "../../opcode.js";
import { mebibytes } from "../../parsing/size.js";
import { splitNodes } from "./creation.js";
import { deviceIndex, diskSize, spindleCount } from "./devices.js";

export async function activate(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const active = await runOpcode(
    invocation,
    opcode("OP_INSTANCE_ACTIVATE_DISKS", {
      instance_name: args[0] ?? "",
      ignore_size: ifSet(options.flag("ignore-size")),
      wait_for_sync: ifSet(options.flag("wait-for-sync")),
    }),
  );
  for (const disk of active as readonly (readonly string[])[]) out.line(disk.join(":"));
  return 0;
}

export async function deactivate(invocation: Invocation): Promise<ExitCode> {
  const { args, options } = invocation;
  await runOpcode(
    invocation,
    opcode("OP_INSTANCE_DEACTIVATE_DISKS", {
      instance_name: args[0] ?? "",
      force: ifSet(options.flag("force")),
    }),
  );
  return 0;
}

export async function recreate(invocation: Invocation): Promise<ExitCode> {
  const [name = ""] = invocation.args;
  await runOpcode(invocation, recreateDisksOpcode(name, invocation.options));
  return 0;
}

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

export async function grow(invocation: Invocation): Promise<ExitCode> {
  await runOpcode(invocation, growDiskOpcode(invocation.args, invocation.options));
  return 0;
}

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
    absolute: ifSet(options.flag("absolute")),
    ignore_ipolicy: ifSet(options.flag("ignore-ipolicy")),
  });
}

function amountOf(given: string): number {
  try {
    return mebibytes(given);
  } catch {
    throw prereqError(`Can't parse the given amount '${given}'`);
  }
}
