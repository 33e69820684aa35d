/** Job store in one SQLite file, for one process: acknowledged changes survive a crash and a power cut. */
export { openSqliteAccessStore } from "./sqlite/access-store.js";
export { openSqliteConfigStore } from "./sqlite/config-store.js";
export { openSqliteNodeStates } from "./sqlite/node-states.js";
export { takeOwnership } from "./sqlite/ownership.js";
export { openSqliteStore } from "./sqlite/store.js";
export {
  copySqlite,
  encloseFiles,
  isSqlite,
  settleSqlite,
  sqliteDamage,
  takeEnclosedFiles,
} from "./sqlite/whole-file.js";
