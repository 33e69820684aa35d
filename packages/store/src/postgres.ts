/** Job store in a PostgreSQL database, for any number of worker processes. */
export { openPostgresAccessStore } from "./postgres/access-store.js";
export { openPostgresConfigStore, type PostgresConfigStore } from "./postgres/config-store.js";
export { openPostgresNodeStates } from "./postgres/node-states.js";
export {
  openPostgresServers,
  type PostgresServers,
  type SentCall,
  type ServerPlace,
} from "./postgres/servers.js";
export { openPostgresStore, type PostgresStore } from "./postgres/store.js";
