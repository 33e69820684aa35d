/** Jobs in a PostgreSQL database, for any number of worker processes. */
export { openPostgresStore, type PostgresOptions, type PostgresStore } from "./postgres/store.js";
