/** Default columns of `gnt-network list`. */
export const defaultNetworkFields = [
  ...["name", "network", "gateway", "mac_prefix", "group_list", "tags"],
];
