/** Names, devices and nodes of claims by kind. */
import type { Claim, ClaimedDisk, ForthcomingInstance, NodeUuid } from "@ganeti-ts/protocol";

/** The part of an instance that other objects must not use as well, with the node that determines links of its NICs. */
export type ClaimedNames = Pick<
  ForthcomingInstance,
  "name" | "network_port" | "nics" | "primary_node"
>;

/** Names, ports and addresses that the claim holds. */
export function namesOfClaim(claim: Claim): ClaimedNames {
  switch (claim.kind) {
    case "creation":
      return claim.instance;
    case "commit":
      return claim.names;
    case "space":
    case "removal":
    case "export":
    case "recreation":
      return { nics: [] };
  }
}

/** Devices that the claim holds; those of a recreation are disks of an instance. */
export function devicesOfClaim(claim: Claim): readonly ClaimedDisk[] {
  switch (claim.kind) {
    case "creation":
    case "space":
    case "removal":
      return claim.disks;
    case "commit":
      return claim.names.disks;
    case "export":
    case "recreation":
      return [];
  }
}

/** Nodes on which the claim holds something, its primary first. */
export function nodesOfClaim(claim: Claim): readonly NodeUuid[] {
  const mirrors = devicesOfClaim(claim).filter(({ dev_type }) => dev_type === "drbd");
  return [...new Set([...ownNodes(claim), ...mirrors.flatMap(({ nodes }) => nodes)])];
}

function ownNodes(claim: Claim): readonly NodeUuid[] {
  switch (claim.kind) {
    case "creation":
      return claim.instance.primary_node === undefined ? [] : [claim.instance.primary_node];
    case "commit":
      return claim.spaces.map(({ node }) => node);
    case "space":
    case "removal":
    case "export":
    case "recreation":
      return [claim.node];
  }
}

/** Whether nodes may already count the claimed capacity as used. */
export function mayBeCountedTwice(claim: Claim): boolean {
  switch (claim.kind) {
    case "creation":
      return true;
    case "commit":
    case "space":
      return claim.isBegun;
    case "removal":
    case "export":
    case "recreation":
      return false;
  }
}
