/** Jobs in a PostgreSQL database, for any number of worker processes. */
export { openPostgresConfigStore, type PostgresConfigOptions } from "./postgres/config-store.js";
export type { PostgresLockStore } from "./postgres/lock-store.js";
export {
  openSharedTexts,
  type SharedTexts,
  type SharedTextsOptions,
  type Texts,
} from "./postgres/shared-texts.js";
export { openPostgresStore, type PostgresOptions, type PostgresStore } from "./postgres/store.js";
