/** `gnt-instance reinstall`. */
import type { Json } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runMany } from "../../jobs/follow.js";
import { ifSet, opcode } from "../../opcode.js";
import { confirmMany } from "../confirm-many.js";
import { osNames } from "../diagnosed.js";
import { type Selection, selectedInstances } from "./selection.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, out } = invocation;
  const selection = await selectedInstances(invocation);
  if (selection.names.length === 0) {
    out.line("Cluster is empty, no instances to reinstall");
    return 0;
  }
  const chosen = options.flag("select-os") ? await chosenOs(invocation) : options.text("os-type");
  if (chosen === null || !(await isConfirmed(invocation, selection, chosen))) return 1;
  const jobs = selection.names.map((name) => ({
    name,
    opcode: reinstallOpcode(name, chosen, options),
  }));
  return runMany(invocation, jobs, { quiet: selection.isOne });
}

/** Reinstalling several instances needs a stronger confirmation. */
async function isConfirmed(
  invocation: Invocation,
  { names, isOne }: Selection,
  chosen: string | undefined,
): Promise<boolean> {
  const { options, ask } = invocation;
  const change = chosen === undefined ? "keep the same OS" : `change the OS to '${chosen}'`;
  if (options.flag("force-multiple")) return true;
  if (!isOne) {
    const extra = `Note: this will remove *all* data for the below instances! It will ${change}.\n`;
    const affected = { names, what: "instances", doing: "reinstall", extra };
    return confirmMany(invocation, "force-multiple", affected);
  }
  if (options.flag("force")) return true;
  return ask.confirm(
    `This will reinstall the instance '${names[0]}' (and ${change}) which removes all data. Continue?`,
    "--force",
  );
}

/** Null if the user cancels. */
async function chosenOs(invocation: Invocation): Promise<string | null> {
  const { out, ask } = invocation;
  const names = await osNames(invocation);
  if (names.length === 0) {
    out.line("Can't get the OS list");
    return null;
  }
  out.line("Available OS templates:");
  for (const [at, name] of names.entries()) out.line(`${String(at).padStart(3)}: ${name}`);
  const chosen = await ask.choose<string | null>(
    "Enter OS template number (or x to abort):",
    [
      ...names.map((name, at) => ({ key: String(at), value: name, does: name })),
      { key: "x", value: null, does: "Exit gnt-instance reinstall" },
    ],
    "--os-type=OS instead of --select-os",
  );
  if (chosen === null) out.error("User aborted reinstall, exiting");
  return chosen;
}

export const reinstallOpcode = (
  name: string,
  os: string | undefined,
  options: OptionValues,
): OpcodeJson =>
  opcode("OP_INSTANCE_REINSTALL", {
    instance_name: name,
    os_type: os,
    force_variant: ifSet(options.flag("force-variant")),
    osparams: options.keyValues("os-parameters"),
    osparams_private: options.keyValues("os-parameters-private"),
    osparams_secret: options.keyValues("os-parameters-secret"),
  } satisfies Record<string, Json | undefined>);
