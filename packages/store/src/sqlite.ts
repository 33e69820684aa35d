/** Job store in one SQLite file, for one process: acknowledged changes survive a crash and a power cut. */
export { openSqliteAccessStore } from "./sqlite/access-store.js";
export { openSqliteConfigStore } from "./sqlite/config-store.js";
export {
  openSqliteNodeStates,
  type SqliteNodeStatesOptions,
  type StoredNodeStates,
} from "./sqlite/node-states.js";
export { type Ownership, takeOwnership } from "./sqlite/ownership.js";
export { openSqliteStore, type SqliteOptions, type SqliteStore } from "./sqlite/store.js";
export {
  copySqlite,
  encloseFiles,
  isSqlite,
  settleSqlite,
  sqliteDamage,
  takeEnclosedFiles,
} from "./sqlite/whole-file.js";
