import { describe, expect, test } from "vitest";
import { modifiable } from "../../../test/support/modifiable.js";
import { failed, refused } from "../../../test/support/results.js";

describe("modification of NICs", () => {
  test("NICs are added, changed and removed", async () => {
    const { modify, about, rest } = await modifiable();
    const { result } = await modify({ nics: [["add", -1, { ip: "192.0.2.77", name: "lan" }]] });
    expect(result).toEqual([
      [
        "nic.1",
        expect.stringMatching(
          /^add:mac=aa:00:00:.*,ip=192.0.2.77,mode=bridged,link=xen-br0,network=None$/,
        ),
      ],
    ]);
    expect((await modify({ nics: [["modify", "lan", { ip: "none" }]] })).result).toEqual([
      ["nic.ip/1", null],
      ["nic.link/1", "xen-br0"],
      ["nic.mode/1", "bridged"],
      ["nic.vlan/1", ""],
    ]);
    expect((await modify({ nics: [["remove", 0, {}]] })).result).toEqual([["NIC/0", "remove"]]);
    // The NIC now stores all parameters itself.
    const nicparams = { mode: "bridged", link: "xen-br0", vlan: "" };
    expect(about().nics).toMatchObject([{ name: "lan", nicparams }]);
    const last = { nics: [["remove", -1, {}]], ignore_ipolicy: true };
    expect((await modify(last)).result).toEqual([["NIC/0", "remove"]]);
    expect((await modify(last)).result).toEqual(failed("list index out of range"));
    expect(rest()).toEqual([]);
  });

  test("invalid NIC changes are refused", async () => {
    const { modify, about } = await modifiable();
    const [first] = about().nics;
    expect((await modify({ nics: [["add", -1, { mac: first?.mac ?? "" }]] })).result).toEqual(
      refused(`MAC address '${first?.mac}' already in use in cluster`, "resource_not_unique"),
    );
    expect((await modify({ nics: [["modify", "nosuch", {}]] })).result).toEqual(
      refused("Cannot find NIC with identifier nosuch", "unknown_entity"),
    );
    expect((await modify({ nics: [["add", -1, { name: "12" }]] })).result).toEqual(
      refused("Invalid name '12'. Purely numeric NIC names are not allowed", "wrong_input"),
    );
    expect((await modify({ nics: [["add", -1, { name: first?.uuid ?? "" }]] })).result).toEqual(
      refused(`NIC name '${first?.uuid}' already used`, "resource_not_unique"),
    );
    expect((await modify({ nics: [["modify", 5, {}]] })).result).toEqual([
      ...failed("Got NIC index 5, but there are only 1"),
    ]);
  });

  test.each([
    { given: { mac: "00:00:00" }, says: "Invalid MAC address '00:00:00'" },
    {
      given: { mac: "auto" },
      says: "'auto' is not a valid MAC address when modifying an existing NIC",
    },
    { given: { ip: "bad.ip" }, says: "Invalid IP address 'bad.ip'" },
    {
      given: { network: "lan", mode: "routed" },
      says: "If network is given mode or link should not",
    },
  ])("are not looked for if what is said makes no sense: $says", async ({ given, says }) => {
    const { modify } = await modifiable();
    expect((await modify({ nics: [["modify", 5, given]] })).result).toEqual(
      refused(says, "wrong_input"),
    );
  });

  test("a NIC changed to a pool address gets another address than its own", async () => {
    const { modify, about, run } = await modifiable();
    await run({ OP_ID: "OP_NETWORK_ADD", network_name: "lan", network: "192.0.2.0/29" });
    await run({
      OP_ID: "OP_NETWORK_CONNECT",
      network_name: "lan",
      group_name: "default",
      network_mode: "bridged",
      network_link: "xen-br0",
    });
    const modifyFirst = (given: Record<string, string>) => modify({ nics: [["modify", 0, given]] });
    expect((await modifyFirst({ network: "lan", ip: "pool" })).status).toBe("success");
    expect(await modifyFirst({ ip: "pool" })).toMatchObject({
      status: "success",
      log: [" - INFO: Chose IP 192.0.2.4 from network lan"],
    });
    expect(about().nics).toMatchObject([{ ip: "192.0.2.4" }]);
    expect((await modifyFirst({ ip: "192.0.2.99" })).result).toEqual(
      refused("IP 192.0.2.99 not available in network lan", "resource_not_unique"),
    );
    expect((await modifyFirst({ network: "none", ip: "pool" })).result).toEqual(
      refused("ip=pool, but no network found", "wrong_input"),
    );
  });
});
