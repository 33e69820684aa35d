import { JobId, type RealInstance } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { anInstance, apply, nodeNamed, opened, put, seeded } from "../test/cluster.js";
import { creationChanges } from "../test/holds.js";
import { addressesOnLink, instanceOnLink } from "./links.js";
import { isAmbiguous } from "./lookup.js";
import type { Snapshot } from "./snapshot.js";

const nic = (n: number, ip: string, link?: string) => ({
  uuid: `nic${n}`,
  mac: `aa:00:00:00:00:0${n}`,
  ip,
  nicparams: link === undefined ? {} : { link },
});

/** web1 on the default link and on `br1`; web2 names the default link itself; web3 is being created. */
async function cluster(): Promise<Snapshot> {
  const configuration = await opened();
  const { snapshot } = configuration;
  const random = seeded();
  const node = nodeNamed(snapshot, 1).uuid;
  const usual = snapshot.cluster.nicparams.default.link;
  const nics = [
    [nic(1, "192.0.2.20"), nic(2, "192.0.2.21", "br1")],
    [nic(3, "192.0.2.3", usual), nic(4, "192.0.2.21", "br1")],
    [nic(5, "192.0.2.99")],
  ];
  const instances = nics.map((its, at) =>
    anInstance(random, `web${at + 1}.example.com`, node, { nics: its }),
  );
  const [web1, web2, web3] = instances as [object, object, object];
  const created = creationChanges(web3 as RealInstance, [], JobId.parse(7));
  return apply(configuration, put("instance", web1), put("instance", web2), ...created);
}

test("a NIC that names no link is on the default link, with those that name it; claims are left out", async () => {
  const now = await cluster();
  const { link } = now.cluster.nicparams.default;
  expect(addressesOnLink(now, link)).toEqual(["192.0.2.20", "192.0.2.3"]);
  expect(instanceOnLink(now, link, "192.0.2.20")?.name).toBe("web1.example.com");
  expect(instanceOnLink(now, link, "192.0.2.3")?.name).toBe("web2.example.com");
  expect(instanceOnLink(now, link, "192.0.2.99")).toBeUndefined();
  expect(instanceOnLink(now, link, "192.0.2.21")).toBeUndefined();
});

test("an address that two instances have on one link is listed once and belongs to the higher UUID", async () => {
  const now = await cluster();
  const [last] = [...now.instances()]
    .filter(({ nics }) => nics.some(({ ip }) => ip === "192.0.2.21"))
    .map(({ uuid }) => uuid)
    .sort()
    .reverse();
  expect(addressesOnLink(now, "br1")).toEqual(["192.0.2.21"]);
  expect(instanceOnLink(now, "br1", "192.0.2.21")?.uuid).toBe(last);
  expect(addressesOnLink(now, "")).toEqual([]);
});

test("nodes are listed by their roles as they change", async () => {
  const configuration = await opened();
  const { snapshot } = configuration;
  const names = (nodes: readonly { readonly name: string }[]) =>
    nodes.map(({ name }) => name).sort();
  expect(names(snapshot.masterCandidates())).toHaveLength(3);
  expect(snapshot.offlineNodes()).toEqual([]);
  const gone = { ...nodeNamed(snapshot, 2), offline: true, master_candidate: false };
  const after = await apply(configuration, put("node", gone));
  expect(names(after.masterCandidates())).toEqual(["node1.example.com", "node3.example.com"]);
  expect(names(after.offlineNodes())).toEqual(["node2.example.com"]);
});

test("first labels of two names are ambiguous, those of one or none are not", async () => {
  const { snapshot } = await opened();
  const both = snapshot.with(
    [
      put("node", { ...nodeNamed(snapshot, 1), name: "edge.example.com" }),
      put("node", { ...nodeNamed(snapshot, 2), name: "edge.example.org" }),
    ],
    { serial: 2, mtime: 1 },
  );
  expect(isAmbiguous(both, "node", "edge")).toBe(true);
  expect(isAmbiguous(both, "node", "EDGE")).toBe(true);
  expect(isAmbiguous(both, "node", "edge.example")).toBe(true);
  expect(isAmbiguous(both, "node", "node3")).toBe(false);
  expect(isAmbiguous(both, "node", "")).toBe(false);
});
