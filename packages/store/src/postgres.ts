/** Jobs in a PostgreSQL database, for any number of worker processes. */
export type { PostgresLockStore } from "./postgres/lock-store.js";
export { openPostgresStore, type PostgresOptions, type PostgresStore } from "./postgres/store.js";
