/** `gnt-debug iallocator`. */
import type { Json } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending, UsageError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { mebibytes } from "../../parsing/size.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const said = (name: string, value: Json | undefined) =>
    value === undefined ? {} : { [name]: value };
  const mode = options.text("mode") ?? "relocate";
  const isOurs = mode === "balance" || mode === "capacity";
  if (args.length === 0 && !isOurs) {
    throw new Ending("Error: Command iallocator expects at least 1 argument(s)");
  }
  const result = await runOpcode(invocation, {
    OP_ID: "OP_TEST_ALLOCATOR",
    mode,
    direction: options.text("dir") ?? "in",
    name: args[0] ?? mode,
    instances: args,
    memory: options.mebibytes("memory") ?? 128,
    disks: disksOf(options.text("disks") ?? "4096,4096"),
    nics: nicsOf(options.text("nics") ?? "00:11:22:33:44:55"),
    vcpus: options.integer("vcpus") ?? 1,
    tags: options.text("tags")?.split(",") ?? [],
    evac_mode: options.text("evac-mode") ?? "all",
    ...(isOurs
      ? said("group_name", onlyGroup(options.texts("target-groups")))
      : { target_groups: options.texts("target-groups") }),
    spindle_use: options.integer("spindle-use") ?? 1,
    count: options.integer("count") ?? (mode === "capacity" ? 0 : 2),
    ...said("disk_template", options.text("disk-template")),
    ...said("os", options.text("os-type")),
    ...said("iallocator", options.text("iallocator")),
  });
  out.line(pythonText(result));
  return 0;
}

/** @throws UsageError */
function onlyGroup(groups: readonly string[]): string | undefined {
  if (groups.length > 1) throw new UsageError("balance and capacity take one group, or all");
  return groups[0];
}

/** @throws Ending */
function disksOf(text: string): Json {
  return text.split(",").map((size) => {
    try {
      return { size: mebibytes(size), mode: "rw" };
    } catch (error) {
      throw new Ending(`Invalid disks parameter '${text}': ${(error as Error).message}`);
    }
  });
}

/** `mac/ip/bridge`; omitted parts are null. */
const nicsOf = (text: string): Json =>
  text.split(",").map((nic) => {
    const [mac = "", ip = "", bridge = ""] = nic.split("/");
    return { mac: mac || null, ip: ip || null, bridge: bridge || null };
  });
