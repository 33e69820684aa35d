import { expect, test } from "vitest";
import { seeded } from "../test/cluster.js";
import { initialConfiguration } from "./initial.js";

test.each([
  [{}, 32],
  [{ primary_ip_family: 2 }, 32],
  [{ primary_ip_family: 10 }, 128],
  [{ primary_ip_family: 10, master_netmask: 64 }, 64],
  [{ primary_ip_family: 2, master_netmask: 24 }, 24],
] as const)("the address of a new cluster with %j has the netmask %i", (cluster, netmask) => {
  const { cluster: made } = initialConfiguration({
    ...{ clusterName: "cluster.example.com", groups: [{ name: "default" }], cluster },
    nodes: [{ name: "node1.example.com", primary_ip: "192.0.2.1", group: "default" }],
    ...{ random: seeded(), now: 1 },
  });
  expect(made.master_netmask).toBe(netmask);
});
