/** Claims on devices that could not be removed from nodes yet. */
import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import type { Claim } from "@ganeti-ts/protocol";
import { dropping, putting } from "../capacity/claim.js";
import { claimsOfLeft } from "../instance/create/creation.js";
import { contextAt } from "../unit/context.js";
import type { RecoveryPorts, Remaining } from "./ports.js";

/** Changes that replace the claim by claims on the remaining devices. */
export function replacing(
  { config }: RecoveryPorts,
  latest: Snapshot,
  claim: Claim,
  remaining: readonly Remaining[],
): readonly ConfigChange[] {
  const left = claimsOfLeft(contextAt({ config, jobId: claim.job }, latest), remaining);
  return [...dropping(latest, [claim]), ...left.map(putting)];
}
