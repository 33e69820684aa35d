/** gnt-cluster verify-disks: activates disks that should be active, and reports missing ones. */
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { failureOf } from "../../failure.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { given } from "../../opcode.js";
import { childResults } from "../children.js";

/** Result for one group. */
export type GroupDisks = readonly [
  /** Error messages by node name. */
  faults: Readonly<Record<string, string>>,
  /** Instances whose disks should be activated. */
  instances: readonly string[],
  /** Missing volumes by instance: node and volume. */
  missing: Readonly<Record<string, readonly (readonly [string, string])[]>>,
];

const faultLengthMax = 400;

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, out } = invocation;
  const result = await runOpcode(invocation, {
    OP_ID: "OP_CLUSTER_VERIFY_DISKS",
    is_strict: !options.flag("no-strict"),
    ...given({ group_name: options.text("node-group") }),
  });
  let code: ExitCode = 0;
  for (const one of await childResults(invocation, result)) {
    if (!one.ok) {
      out.line(`Job failed: ${one.problem}`);
      continue;
    }
    const disks = one.results[0] as GroupDisks;
    for (const name of toActivate(disks)) {
      if (!(await activate(invocation, name))) code = 1;
    }
    for (const line of findings(disks)) out.line(line);
    if (Object.keys(disks[0]).length > 0 || Object.keys(disks[2]).length > 0) code = 1;
  }
  return code;
}

/** Instances without missing volumes. */
const toActivate = ([, instances, missing]: GroupDisks): readonly string[] =>
  instances.filter((name) => !Object.hasOwn(missing, name));

async function activate(invocation: Invocation, instance_name: string): Promise<boolean> {
  invocation.out.line(`Activating disks for instance '${instance_name}'`);
  try {
    await runOpcode(invocation, { OP_ID: "OP_INSTANCE_ACTIVATE_DISKS", instance_name });
    return true;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    invocation.out.error(`Error activating disks for instance ${instance_name}: ${failure.text}`);
    return false;
  }
}

export function findings([faults, instances, missing]: GroupDisks): string[] {
  const broken = Object.keys(faults);
  const lines = Object.entries(faults).flatMap(([node, text]) => [
    `Error gathering data on node ${node}: ${text.slice(-faultLengthMax)}`,
    "You need to fix these nodes first before fixing instances",
  ]);
  const lacking = Object.entries(missing);
  if (lacking.length === 0) {
    return instances.length === 0 ? [...lines, "No disks need to be activated."] : lines;
  }
  for (const [name, volumes] of lacking) {
    if (volumes.every(([node]) => broken.includes(node))) {
      lines.push(`Instance ${name} cannot be verified as it lives on broken nodes`);
      continue;
    }
    lines.push(`Instance ${name} has missing logical volumes:`);
    for (const [node, volume] of volumes.toSorted(byText)) {
      lines.push(`\t${broken.includes(node) ? "broken node " : ""}${node} /dev/${volume}`);
    }
  }
  return [
    ...lines,
    "You need to replace or recreate disks for all the above instances if this message persists after" +
      " fixing broken nodes.",
  ];
}

const byText = (a: readonly Json[], b: readonly Json[]): number =>
  String(a[0]) < String(b[0]) || (a[0] === b[0] && String(a[1]) < String(b[1])) ? -1 : 1;
