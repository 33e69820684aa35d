/** Job store in a PostgreSQL database, for any number of worker processes. */
export { openPostgresAccessStore, type PostgresAccessOptions } from "./postgres/access-store.js";
export {
  openPostgresConfigStore,
  type PostgresConfigOptions,
  type PostgresConfigStore,
} from "./postgres/config-store.js";
export type { KnownCommit } from "./postgres/history.js";
export type { PostgresLockStore } from "./postgres/lock-store.js";
export { openPostgresNodeStates, type PostgresNodeStatesOptions } from "./postgres/node-states.js";
export {
  openPostgresServers,
  type PostgresServers,
  type PostgresServersOptions,
  type SentCall,
  type ServerPlace,
} from "./postgres/servers.js";
export { openPostgresStore, type PostgresOptions, type PostgresStore } from "./postgres/store.js";
