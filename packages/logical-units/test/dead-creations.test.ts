// Creations whose server dies at any effect, while a node does not remove what they made.
import { consistencyFaults } from "@ganeti-ts/config";
import { faultsAtRest } from "@ganeti-ts/simulated-nodes/at-rest";
import { expect, test } from "vitest";
import { deaths, type Life, reached, recoverAll, setOffline } from "./support/next-server.js";
import { create, mirrored } from "./support/opcodes.js";

const opcode = create({ ...mirrored, nics: [{ network: "net", ip: "pool" }], start: false });
const creation: Life = {
  async before(first) {
    const network = { network_name: "net" };
    const connection = { group_name: "default", network_mode: "routed", network_link: "100" };
    for (const op of [
      { OP_ID: "OP_NETWORK_ADD", ...network, network: "198.51.100.0/29" },
      { OP_ID: "OP_NETWORK_CONNECT", ...network, ...connection },
    ])
      expect(await first.run(op)).toMatchObject({ status: "success" });
  },
  opcode,
};

test("two servers that clear a dead creation at once leave each device on an offline node claimed once", async () => {
  let count = 0;
  for await (const [next, where] of deaths(creation, ["after"])) {
    const { config, simulated } = next;
    const recover = () => recoverAll(config, reached(next));
    await setOffline(next, "node2.example.com", true);
    await Promise.all([recover(), recover()]);
    expect(consistencyFaults(config.snapshot), where).toEqual([]);
    if (config.snapshot.count("claim") > 0) count++;
    await setOffline(next, "node2.example.com", false);
    await recover();
    expect(faultsAtRest(config.snapshot, simulated), where).toEqual([]);
  }
  expect(count).toBeGreaterThan(3);
});

test("the name and addresses of a dead creation are free although its devices cannot be removed", async () => {
  let count = 0;
  for await (const [next, where] of deaths(creation, ["after"])) {
    const { config, simulated, run } = next;
    const isMade = config.snapshot.findInstance("web1.example.com") !== undefined;
    const repair = simulated.fail({ kind: "refused", call: "blockdev_remove", times: 99 });
    await recoverAll(config, simulated);
    repair();
    if (isMade || config.snapshot.count("claim") === 0) continue;
    count++;
    const [{ reservations = "" } = {}] = config.snapshot.networks();
    expect(reservations, where).not.toContain("1");
    expect(await run(opcode), where).toMatchObject({ status: "success" });
    await recoverAll(config, simulated);
    expect(faultsAtRest(config.snapshot, simulated), where).toEqual([]);
  }
  expect(count).toBeGreaterThan(3);
});
