/** `gnt-os modify`. */
import type { Json } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { opcode } from "../../opcode.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [os = ""] = invocation.args;
  await runOpcode(invocation, modifyOsOpcode(os, invocation.options));
  return 0;
}

/** @throws Ending if nothing would change */
function modifyOsOpcode(os: string, options: OptionValues): OpcodeJson {
  const given = options.idKeyValues("hypervisor-parameters");
  const ofOs = (value: Json | undefined): Json | undefined =>
    value === undefined ? undefined : { [os]: value };
  const marked = (option: string): Json | undefined => {
    const value = options.yesNo(option);
    return value === undefined ? undefined : [[value ? "add" : "remove", os]];
  };
  const parameters = {
    os_hvp: ofOs(given.length === 0 ? undefined : (Object.fromEntries(given) as Json)),
    osparams: ofOs(options.keyValues("os-parameters")),
    osparams_private_cluster: ofOs(options.keyValues("os-parameters-private")),
    hidden_os: marked("hidden"),
    blacklisted_os: marked("blacklisted"),
  };
  if (Object.values(parameters).every((value) => value === undefined)) {
    throw new Ending("At least one of OS parameters or hypervisor parameters must be passed");
  }
  return opcode("OP_CLUSTER_SET_PARAMS", parameters);
}
