/** RemoteCluster: a cluster as its remote API shows it, and how to reach that. */
import type { RapiGroup, RapiInfo, RapiInstance, RapiNetwork, RapiNode } from "@ganeti-ts/protocol";

/** How to reach a remote API; a user in the URL counts, too. */
export interface RemoteAccess {
  readonly user?: string;
  readonly password?: string;
  /** Certificates (PEM) to trust. */
  readonly ca?: string;
  readonly verifyCertificate: boolean;
}

/** All that a twin takes from the remote API. */
export interface RemoteCluster {
  readonly info: RapiInfo;
  readonly groups: readonly RapiGroup[];
  readonly nodes: readonly RapiNode[];
  readonly instances: readonly RapiInstance[];
  readonly networks: readonly RapiNetwork[];
}
