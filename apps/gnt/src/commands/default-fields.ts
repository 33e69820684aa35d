/** Default columns of lists whose help texts name them. */

export const defaultGroupFields = ["name", "node_cnt", "pinst_cnt", "alloc_policy", "ndparams"];

export const defaultNetworkFields = [
  ...["name", "network", "gateway", "mac_prefix", "group_list", "tags"],
];

export const defaultNodeFields = [
  ...["name", "dtotal", "dfree", "mtotal", "mnode", "mfree", "pinst_cnt", "sinst_cnt"],
];
export const defaultVolumeFields = ["node", "phys", "vg", "name", "size", "instance"];
export const defaultStorageFields = [
  ...["node", "type", "name", "size", "used", "free", "allocatable"],
];
