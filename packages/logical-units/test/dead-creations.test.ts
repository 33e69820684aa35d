// Creations whose server dies at any effect, while a node does not remove what they made.
import { consistencyFaults } from "@ganeti-ts/config";
import { setVolume } from "@ganeti-ts/simulated-nodes";
import { faultsAtRest, lostData } from "@ganeti-ts/simulated-nodes/at-rest";
import { expect, test } from "vitest";
import { recoverHeld } from "../src/recovery.js";
import { deaths, type Life, reached, recoverAll, setOffline } from "./support/next-server.js";
import { about, create, mirrored } from "./support/opcodes.js";

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

const recreation: Life = {
  async before(first) {
    expect(await first.run(create({ start: false }))).toMatchObject({ status: "success" });
    const { xenvg: group } = first.simulated.stateOf(first.nodes[0] ?? "")?.volumeGroups ?? {};
    for (const name of first.volumesOn(1))
      if (group !== undefined) setVolume(group, name, undefined);
  },
  opcode: about("OP_INSTANCE_RECREATE_DISKS"),
};

test("a recovery that another one has overtaken leaves disks alone that were made again since", async () => {
  let count = 0;
  for await (const [next, where] of deaths(recreation, ["after"])) {
    const { config, simulated: nodes, run } = next;
    if (![...config.snapshot.claims()].some(({ kind }) => kind === "recreation")) continue;
    count++;
    const signal = new AbortController().signal;
    await recoverHeld({ config, nodes, lease: "9:1", signal }, async () => {
      await recoverAll(config, nodes);
      await run(recreation.opcode);
      return true;
    });
    expect(lostData(config.snapshot, nodes), where).toEqual([]);
  }
  expect(count).toBeGreaterThan(0);
});

test("disks that a dead job made again stay if they are put to use before recovery", async () => {
  let count = 0;
  for await (const [next, where] of deaths(recreation, ["after"])) {
    const { config, simulated, run, runningOn } = next;
    const isClaimed = config.snapshot.count("claim") > 0;
    const { status } = await run(about("OP_INSTANCE_STARTUP"));
    if (!isClaimed || status !== "success") continue;
    count++;
    await recoverAll(config, simulated);
    expect(faultsAtRest(config.snapshot, simulated), where).toEqual([]);
    expect(lostData(config.snapshot, simulated), where).toEqual([]);
    expect(runningOn(1), where).toEqual(["web1.example.com"]);
  }
  expect(count).toBeGreaterThan(0);
});
