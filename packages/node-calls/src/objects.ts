/**
 * Objects of the configuration as nodes get them: keys as in the configuration, parameters filled by
 * whoever asks, so that a node needs to know nothing else.
 */
import type { Json } from "@ganeti-ts/protocol";

type Parameters = { readonly [name: string]: Json };

export interface DiskOnNode {
  readonly uuid: string;
  readonly dev_type: string;
  /** By `dev_type`, as in the configuration; nodes by UUID. */
  readonly logical_id: readonly Json[];
  /** MiB. */
  readonly size: number;
  readonly mode?: string | null | undefined;
  /** `disk/0`, … */
  readonly iv_name?: string | null | undefined;
  readonly name?: string | null | undefined;
  /** Counts where the node has exclusive storage. */
  readonly spindles?: number | null | undefined;
  /** Filled. */
  readonly params?: Parameters | null | undefined;
  /** Data and metadata of a drbd disk. */
  readonly children?: readonly DiskOnNode[] | null | undefined;
}

export interface NicOnNode {
  readonly uuid: string;
  readonly mac?: string | null | undefined;
  readonly ip?: string | null | undefined;
  readonly name?: string | null | undefined;
  /** UUID. */
  readonly network?: string | null | undefined;
  /** Filled. */
  readonly nicparams: Parameters;
}

export interface InstanceOnNode {
  readonly uuid: string;
  readonly name: string;
  readonly os?: string | null | undefined;
  readonly hypervisor: string;
  /** Filled. */
  readonly hvparams: Parameters;
  /** Filled: `maxmem`, `minmem` in MiB, `vcpus` and so on. */
  readonly beparams: Parameters;
  /** Filled, with private and secret ones. */
  readonly osparams: Parameters;
  readonly nics: readonly NicOnNode[];
  readonly disks: readonly DiskOnNode[];
  readonly network_port?: number | null | undefined;
}

/** A hypervisor and its cluster-wide parameters. */
export interface HypervisorOnNode {
  readonly name: string;
  readonly hvparams: Parameters;
}
