/** What a network interface in a message may be. */
export const nicModes: readonly string[] = ["bridged", "routed", "openvswitch"];

/** Most instances have one NIC without a network: they share the list. */
export const noNetworks: readonly (string | null)[] = [null];
