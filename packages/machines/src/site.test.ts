import { expect, test } from "vitest";
import { environmentOn, ganetiSite, localPath, pathOn } from "./site.js";

const unsaid = { ganetiData: undefined, ganetiRoot: undefined, ganetiHost: undefined };
const virtual = { GANETI_ROOTDIR: "/srv/vcluster/node1", GANETI_HOSTNAME: "node1" };

test("a real machine has the usual folders, and its programs need no variables", () => {
  const site = ganetiSite({ ...unsaid, ganetiHost: "node1" }, {});
  expect(site).toEqual({ root: undefined, host: "node1", data: "/var/lib/ganeti" });
  expect(localPath(site, "/etc/hosts")).toBe("/etc/hosts");
  expect(environmentOn(site, "node2")).toEqual({});
});

test("a virtual node is found by Ganeti's variables, and its neighbours are next to it", () => {
  const site = ganetiSite(unsaid, virtual);
  expect(site.host).toBe("node1");
  expect(localPath(site, "/etc/hosts")).toBe("/srv/vcluster/node1/etc/hosts");
  expect(localPath(site, "/var/lib/ganeti/rapi.pem")).toBe(
    "/srv/vcluster/node1/var/lib/ganeti/rapi.pem",
  );
  expect(environmentOn(site, "node2")).toEqual({
    GANETI_ROOTDIR: "/srv/vcluster/node2",
    GANETI_HOSTNAME: "node2",
  });
});

test("a copy of a file is below the root of its virtual node, elsewhere at the same path", () => {
  const site = ganetiSite(unsaid, virtual);
  expect(pathOn(site, "node2", "/srv/vcluster/node1/etc/motd")).toBe(
    "/srv/vcluster/node2/etc/motd",
  );
  expect(pathOn(site, "node2", "/srv/vcluster/node10/etc/motd")).toBe(
    "/srv/vcluster/node10/etc/motd",
  );
  const machine = ganetiSite({ ...unsaid, ganetiHost: "node1" }, {});
  expect(pathOn(machine, "node2", "/etc/motd")).toBe("/etc/motd");
});

test("options take precedence over variables, and the data folder may be anywhere", () => {
  const site = ganetiSite({ ganetiData: "/d", ganetiRoot: "/r", ganetiHost: "h" }, virtual);
  expect(site).toEqual({ root: "/r", host: "h", data: "/d" });
  expect(localPath(site, "/var/lib/ganeti/rapi.pem")).toBe("/d/rapi.pem");
  expect(localPath(site, "/var/lib/ganeti-ts/x")).toBe("/r/var/lib/ganeti-ts/x");
});
