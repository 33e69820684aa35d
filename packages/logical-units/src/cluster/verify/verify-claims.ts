/** Leftovers of ended jobs on nodes, which recovery has not removed yet. */
import { jobStatuses } from "@ganeti-ts/cluster-queries";
import { devicesOfClaim, instanceOfClaim, nodesOfClaim, type Snapshot } from "@ganeti-ts/config";
import { type Claim, compareNaturally, isFinalized } from "@ganeti-ts/protocol";
import { nodeName } from "../../instance/state.js";
import type { World } from "../../unit/unit.js";
import type { Findings } from "./findings.js";

/**
 * Recovery removes leftovers by itself as soon as it reaches their nodes, so they are notices; those on offline nodes are
 * warnings, because they stay until an administrator brings the node back or removes it. Old copies of disks have warnings of
 * their own. O(claims).
 */
export async function checkClaims(
  findings: Findings,
  { queue }: Pick<World, "queue">,
  now: Snapshot,
): Promise<void> {
  if (queue === undefined) return;
  const claims = [...now.claims()].filter((claim) => !areOldCopies(claim));
  const statuses = await jobStatuses(
    queue,
    claims.map(({ job }) => job),
  );
  for (const claim of claims) {
    const status = statuses.get(claim.job);
    if (status !== undefined && !isFinalized(status)) continue;
    const nodes = nodesOfClaim(claim);
    const names = nodes.map((uuid) => nodeName(now, uuid)).sort(compareNaturally);
    const text = `job ${claim.job} left ${leftover(now, claim)} on ${names.join(", ")}`;
    const offline = nodes.filter((uuid) => now.node(uuid)?.offline);
    if (offline.length === 0) {
      findings.step(`  - NOTICE: ${text}; the server removes it as soon as the nodes do so.`);
      continue;
    }
    const away = offline.map((uuid) => nodeName(now, uuid)).join(", ");
    const advice = `offline: ${away}; bring it back online, or remove it from the cluster`;
    findings.add("ECLUSTERCFG", null, `${text} (${advice})`, "WARNING");
  }
}

const areOldCopies = (claim: Claim): boolean => {
  const disks = devicesOfClaim(claim);
  return disks.length > 0 && disks.every(({ copyOf }) => copyOf !== undefined);
};

function leftover(now: Snapshot, claim: Claim): string {
  const of = instanceOfClaim(now, claim) ?? "without a name";
  const count = devicesOfClaim(claim).length;
  const devices = count === 1 ? "1 device" : `${count} devices`;
  switch (claim.kind) {
    case "creation":
      return `the unfinished creation of instance ${of}`;
    case "commit":
      return `the unfinished commit of reservation ${of}`;
    case "space":
      return `${devices} of an unfinished operation`;
    case "removal":
      return [
        ...(count > 0 ? [`${devices} to be removed`] : []),
        ...(claim.running === undefined ? [] : [`instance ${of}, which may still run,`]),
      ].join(" and ");
    case "export":
      return `an unfinished export of instance ${of}`;
    case "recreation":
      return `unfinished disks of instance ${of}`;
  }
}
