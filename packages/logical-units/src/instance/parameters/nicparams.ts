/** Mode, link and VLAN of NICs, from opcodes. */
import { nicModeName, nicparamsFault, readVlan } from "@ganeti-ts/config";
import type { Nicparams, OpcodeNic, PartialNicparams } from "@ganeti-ts/protocol";
import { configurationError } from "../../unit/refusals.js";

/** The given parameters; `checkNicparams` checks the mode. @throws ConfigError for a VLAN */
export function saidNicparams({ mode, link, bridge, vlan }: OpcodeNic): PartialNicparams {
  const named = link ?? bridge;
  return {
    ...(mode == null ? {} : { mode: nicModeName(mode) as Nicparams["mode"] }),
    ...(named == null ? {} : { link: named }),
    ...(vlan == null ? {} : { vlan: readVlan(vlan) }),
  };
}

/** Source: Ganeti, lib/objects.py, `NIC.CheckParameterSyntax`. @throws OperationError ConfigurationError */
export function checkNicparams(filled: Nicparams): void {
  const fault = nicparamsFault(filled);
  if (fault !== undefined) throw configurationError(fault);
}
