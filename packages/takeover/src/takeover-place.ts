/** TakeoverPlace: the data directory that a cluster is taken over into, and where the original is on this machine. */
import type { ClusterStores } from "@ganeti-ts/cluster";
import type { GanetiSite } from "@ganeti-ts/machines";
import type { PostgresServers } from "@ganeti-ts/store/postgres";
import type { TakeoverLog } from "./log.js";

/** Ports of an adoption or a failover. */
export interface TakeoverPlace {
  /** The data directory, and files of it. */
  readonly directory: {
    readonly path: string;
    readonly adopted: string;
    readonly ownStamps: string;
    readonly realNodes: string;
  };
  readonly site: GanetiSite;
  readonly log: TakeoverLog;
  /** Whether the stores are a database that several servers share. */
  readonly isShared: boolean;
  /** Opens the stores for `use`, and closes them. */
  withStores<Value>(use: (stores: TakeoverStores) => Promise<Value>): Promise<Value>;
  /** Sets the database of an earlier adoption aside. */
  setAside(): void;
}

/** Stores of jobs and configuration. */
export interface TakeoverStores extends ClusterStores {
  /** The servers that share them; undefined where this process is the only one. */
  readonly servers?: Pick<PostgresServers, "living">;
}
