// A host whose changed parts alone are saved is read as it was. Seen to fail without removals, without the rest of the
// host, with parts that outlive a whole host, with comparisons that ignore nested values, and without noted
// changes of mirrors.
import { Dice } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { setEntry } from "./entries.js";
import { newHost } from "./host.js";
import { HostStates } from "./host-states.js";
import { changeMirror } from "./mirror.js";
import type { DrbdSide, HostState, VolumeGroupState } from "./node-state.js";
import { type NodeStates, nodeStatesInMemory } from "./node-states.js";
import { usedByPhysicalVolume } from "./volume-group.js";
import { setVolume } from "./volumes.js";

const hostName = "node1.example.com";

const aMirror = (port: number): DrbdSide => ({
  ...{ up: true, port, peer: "peer", secret: "secret", sizeMib: 1, primary: false, connects: true },
  ...{ multimaster: false, data: "uptodate", children: [], syncedMib: 1, syncingSince: null },
  paused: false,
});

function changeSomething(dice: Dice, host: HostState): void {
  const key = String(dice.between(0, 12));
  const group = host.volumeGroups.xenvg;
  if (group === undefined) throw new Error("the host has a volume group");
  const volume = group.volumes[`volume ${key}`];
  const mirror = host.drbd[dice.chance(0.5) ? key : "mirror"];
  switch (dice.between(0, 10)) {
    case 0:
      setVolume(group, `volume ${key}`, undefined);
      break;
    case 1:
      if (volume !== undefined) {
        const [piece] = volume.pieces;
        if (piece !== undefined) {
          const pieces = [{ ...piece, sizeMib: piece.sizeMib + 1 }];
          setVolume(group, `volume ${key}`, { ...volume, pieces });
        }
      }
      break;
    case 2:
      if (volume !== undefined) {
        setVolume(group, `volume ${key}`, { ...volume, open: !volume.open });
      }
      break;
    case 3:
      setEntry(host.instances, key, undefined);
      break;
    case 4:
      setEntry(host.instances, key, {
        ...{ hypervisor: "kvm", memoryMib: dice.between(1, 3), vcpus: 1, state: "running" },
        startedMicros: dice.between(0, 1),
      });
      break;
    case 5:
      host.files[key] = String(dice.between(0, 3));
      break;
    case 6:
      if (dice.chance(0.1)) host.volumeGroups[`group${key}`] = { physicalVolumes: {}, volumes: {} };
      break;
    case 7:
      setEntry(host.drbd, key, aMirror(Number(key)));
      break;
    case 8:
      if (dice.chance(0.1)) host.instances = {};
      break;
    case 9:
      // Mirrors are changed in place.
      if (mirror !== undefined) changeMirror(mirror, { paused: !mirror.paused });
      break;
    default:
      setVolume(group, `volume ${key}`, {
        ...{ sizeMib: 1, pieces: [{ on: "/dev/sda", sizeMib: 1 }], info: "", open: false },
        ...(dice.chance(0.5) ? { image: key } : {}),
      });
  }
}

/** A store, and the names of the texts that each save gave it. */
function noting(states: NodeStates): { readonly states: NodeStates; readonly saved: string[][] } {
  const saved: string[][] = [];
  const save: NodeStates["save"] = (changed) => {
    saved.push([...changed.keys()]);
    return states.save(changed);
  };
  return { states: { ...states, save }, saved };
}

async function hostOn(states: NodeStates): Promise<{ host: HostState; all: HostStates }> {
  const all = await HostStates.open(states);
  const host = newHost({ name: hostName, volumeGroups: { xenvg: { "/dev/sda": 10_000 } } });
  // Before anybody follows its changes.
  setEntry(host.drbd, "mirror", aMirror(1));
  all.hosts.set(hostName, host);
  await all.perform((touched) => touched.add(host));
  return { host, all };
}

test("a host is read as it was after any changes, most of which save parts of it only", async () => {
  let [wholes, parts] = [0, 0];
  for (let seed = 1; seed <= 20; seed++) {
    const dice = new Dice(seed);
    const { states, saved } = noting(nodeStatesInMemory());
    const { host, all } = await hostOn(states);
    for (let step = 0; step < 150; step++) {
      await all.perform((touched) => {
        touched.add(host);
        changeSomething(dice, host);
      });
      const read = await HostStates.open(states);
      expect(read.hosts.get(hostName)).toEqual(host);
    }
    for (const name of saved.flat()) name === hostName ? wholes++ : parts++;
  }
  expect(parts).toBeGreaterThan(1000);
  expect(wholes).toBeGreaterThan(20);
});

test("kept sums of space are those of the volumes", async () => {
  const dice = new Dice(1);
  const host = newHost({ name: hostName, volumeGroups: { xenvg: { "/dev/sda": 10_000 } } });
  const group = host.volumeGroups.xenvg as VolumeGroupState;
  for (let step = 0; step < 500; step++) {
    changeSomething(dice, host);
    const sum = Object.values(group.volumes)
      .flatMap(({ pieces }) => pieces)
      .reduce((mib, piece) => mib + piece.sizeMib, 0);
    expect(usedByPhysicalVolume(group).get("/dev/sda") ?? 0).toBe(sum);
  }
});

test("after a failed save the host is saved as a whole", async () => {
  const memory = nodeStatesInMemory();
  let isFailing = false;
  const { states, saved } = noting({
    ...memory,
    save(changed) {
      if (isFailing) throw new Error("no room");
      return memory.save(changed);
    },
  });
  const { host, all } = await hostOn(states);
  const boot = () =>
    all.perform((touched) => {
      touched.add(host);
      host.boots++;
    });
  await boot();
  isFailing = true;
  await expect(boot()).rejects.toThrow("no room");
  isFailing = false;
  await boot();
  const part = `${hostName} ["rest"]`;
  expect(saved).toEqual([[hostName], [part], [part], [hostName]]);
  expect((await HostStates.open(states)).hosts.get(hostName)).toEqual(host);
});
