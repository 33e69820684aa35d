/** Modes of network interfaces in a message. */
export const nicModes: readonly string[] = ["bridged", "routed", "openvswitch"];

/** Most instances have one NIC without a network, and share this list. */
export const noNetworks: readonly (string | null)[] = [null];
