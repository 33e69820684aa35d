/** `gnt-os modify`. */
import type { Json } from "@ganeti-ts/protocol";
import { Ending } from "../../errors.js";
import { runs } from "../../jobs/follow.js";
import { opcode } from "../../opcode.js";

/** @throws Ending if nothing would change */
export const run = runs(({ args: [os = ""], options }) => {
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
});
