/** What `gnt-network list` shows where nothing is said. */
export const defaultNetworkFields = [
  ...["name", "network", "gateway", "mac_prefix", "group_list", "tags"],
];
