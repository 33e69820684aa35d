/** Default columns of `gnt-node list`, `volumes` and `list-storage`. */
export const defaultNodeFields = [
  ...["name", "dtotal", "dfree", "mtotal", "mnode", "mfree", "pinst_cnt", "sinst_cnt"],
];
export const defaultVolumeFields = ["node", "phys", "vg", "name", "size", "instance"];
export const defaultStorageFields = [
  ...["node", "type", "name", "size", "used", "free", "allocatable"],
];
