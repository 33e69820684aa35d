/** Default columns of `gnt-group list`. */
export const defaultGroupFields = ["name", "node_cnt", "pinst_cnt", "alloc_policy", "ndparams"];
