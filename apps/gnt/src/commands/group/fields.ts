/** What `gnt-group list` shows where nothing is said. */
export const defaultGroupFields = ["name", "node_cnt", "pinst_cnt", "alloc_policy", "ndparams"];
