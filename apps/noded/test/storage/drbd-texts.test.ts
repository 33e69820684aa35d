import { describe, expect, test } from "vitest";
import { kernelState } from "../../src/storage/drbd/proc.js";
import { mirrorSetup, noSetup } from "../../src/storage/drbd/show.js";
import { proc80, proc84, show } from "./drbd-texts.js";

describe("/proc/drbd", () => {
  test("shows version, gaps in the numbers and unconfigured minors", () => {
    const { version, minors } = kernelState(proc84);
    expect(version).toBe("8.4.11 (api:1/proto:86-101)");
    expect([...minors.keys()]).toEqual([0, 1, 2, 4, 5, 6, 12]);
    expect(minors.get(12)).toBeNull();
    expect(minors.get(5)).toMatchObject({ connection: "StandAlone", disk: "UpToDate" });
    expect(minors.get(6)).toMatchObject({ disk: "Diskless", peerDisk: "DUnknown" });
  });

  test.each([
    [0, 21.3, 14],
    [1, 21.3, 3723],
    [2, 0, null],
    [4, null, null],
  ])("minor %i has %s percent done and %s seconds left", (minor, percent, seconds) => {
    const found = kernelState(proc84).minors.get(minor);
    expect([found?.syncPercent, found?.estimatedSeconds]).toEqual([percent, seconds]);
  });

  test("is read in the forms of DRBD 8.0", () => {
    const { version, minors } = kernelState(proc80);
    expect(version).toBe("8.0.12 (api:86/proto:86)");
    expect(minors.get(0)).toMatchObject({
      role: "Primary",
      syncPercent: 2.5,
      estimatedSeconds: 248,
    });
  });

  test.each([
    ["version: 8.4.11-1 (api:1/proto:86-101)\n", "8.4.11-1 (api:1/proto:86-101)"],
    ["\nversion: 8.3.1 (api:88/proto:86-89)\n", "8.3.1 (api:88/proto:86-89)"],
  ])("with the version line %j is of version %s", (text, version) => {
    expect(kernelState(text).version).toBe(version);
  });

  test.each([
    ["version: 9.1.7 (api:2/proto:86-121)\n", "kernel is 9.1, ganeti wants 8.x"],
    ["garbage", "Can't parse DRBD version from 'garbage'"],
    [
      "version: 8.4.11 (api:1/proto:86-101)\n 0: cs:Odd things\n",
      "Can't parse input data '0: cs:Odd things'",
    ],
  ])("is refused as %j", (text, fault) => {
    expect(() => kernelState(text)).toThrow(fault);
  });
});

describe("the output of drbdsetup show", () => {
  test("gives storage and addresses", () => {
    const shown = {
      ...{ local: "ipv4 192.0.2.1:11000", remote: "ipv4 192.0.2.2:11000" },
      ...{ data: "/dev/xenvg/a.disk0_data", meta: "/dev/xenvg/a.disk0_meta" },
    };
    expect(mirrorSetup(show(shown))).toEqual({
      ...{ data: "/dev/xenvg/a.disk0_data", meta: "/dev/xenvg/a.disk0_meta", metaIndex: null },
      ...{ local: "ipv4:192.0.2.1:11000", remote: "ipv4:192.0.2.2:11000" },
      allowsTwoPrimaries: false,
    });
    expect(mirrorSetup(show({ ...shown, dual: true })).allowsTwoPrimaries).toBe(true);
  });

  test("of a minor without storage and connection, and of nothing, is empty", () => {
    expect(mirrorSetup(show({}))).toEqual(noSetup);
    expect(mirrorSetup("")).toEqual(noSetup);
  });

  test("may have addresses of IPv6, an index of the metadata, defaults and comments", () => {
    const text = `# made by hand
      resource resource3 { _this_host { address ipv6 [2001:db8::1]:11000; # here
        volume 0 { disk "/dev/x/d"; meta-disk "/dev/x/m" [ 0 ]; disk { size 0s _is_default; } } } }`;
    expect(mirrorSetup(text)).toMatchObject({
      ...{ local: "ipv6:[2001:db8::1]:11000", remote: null },
      ...{ data: "/dev/x/d", meta: "/dev/x/m", metaIndex: 0 },
    });
  });

  test.each(["resource {", "resource resource0 { disk }", "}", 'disk "open'])(
    "is refused as %j",
    (text) => {
      expect(() => mirrorSetup(text)).toThrow("Can't parse drbdsetup show output: ");
    },
  );
});
