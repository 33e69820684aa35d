/** Conformance suite for stores of node states. */
import { anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { type NodeStates, NodeStatesError } from "@ganeti-ts/simulated-nodes";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { creationOf, names, nodesOn, volumesOn } from "./nodes-on.js";

export interface ClosableStates extends NodeStates {
  close(): Promise<void>;
}

export interface NodeStatesWorld {
  connect(): Promise<ClosableStates>;
  close(): Promise<void>;
}

const rbd = { uuid: "r", dev_type: "rbd" as const, logical_id: ["rbd", "image"], size: 100 };

export function describeNodeStates(
  title: string,
  {
    shared,
    makeWorld,
  }: { readonly shared: boolean; readonly makeWorld: () => Promise<NodeStatesWorld> },
): void {
  describe(title, () => {
    let world: NodeStatesWorld;
    let open: ClosableStates[];
    beforeEach(async () => {
      world = await makeWorld();
      open = [];
    });
    afterEach(async () => {
      for (const states of open) await states.close();
      await world.close();
    });
    const connect = async (): Promise<ClosableStates> => {
      const states = await world.connect();
      open.push(states);
      return states;
    };
    const stage = async () => nodesOn(await connect());
    const restart = async () => {
      for (const states of open.splice(0)) await states.close();
      return stage();
    };

    test("nodes are as they were, with what they share", async () => {
      const before = await stage();
      await before.ask("A", "blockdev_create", creationOf(aPlainDisk()));
      await before.ask("B", "instance_start", { instance: anInstance(), startupPaused: false });
      await before.ask("B", "blockdev_create", creationOf(rbd));
      const were = names.map((node) => before.nodes.stateOf(node));
      const after = await restart();
      expect(names.map((node) => after.nodes.stateOf(node))).toEqual(were);
      expect(await after.ask("C", "blockdev_find", { disk: rbd })).not.toBeNull();
    });

    test("a call saves what it has changed, and a call that changes nothing saves nothing", async () => {
      const states = await connect();
      const saved: string[][] = [];
      const under = await nodesOn({
        ...states,
        save(changed) {
          saved.push([...new Set(Array.from(changed.keys(), (name) => name.split(" ")[0] ?? ""))]);
          return states.save(changed);
        },
      });
      saved.length = 0;
      await under.ask("A", "blockdev_create", creationOf(aPlainDisk()));
      await under.ask("B", "blockdev_create", creationOf(rbd));
      await under.ask("A", "vg_list", {});
      // Hosts that several processes simulate are saved as a whole, with the shared storage.
      expect(saved).toEqual([["A.example.com"], shared ? ["B.example.com", ""] : [""]]);
    });

    test("parts of a host that came, changed and went are as they were, however many there were", async () => {
      const before = await stage();
      for (let at = 0; at < 150; at++) {
        const disk = { ...aPlainDisk(`volume${at}`), size: 10 };
        await before.ask("A", "blockdev_create", creationOf(disk));
        if (at % 3 > 0) await before.ask("A", "blockdev_remove", { disk });
        if (at % 50 === 0) {
          const instance = { ...anInstance(), name: `web${at}.example.com` };
          await before.ask("A", "instance_start", { instance, startupPaused: false });
        }
        if (at % 40 > 0) continue;
        const was = before.nodes.stateOf("A");
        for (const states of open.slice(1)) await states.close();
        const { nodes } = await nodesOn(await connect());
        expect(nodes.stateOf("A")).toEqual(was);
      }
      const was = before.nodes.stateOf("A");
      expect((await restart()).nodes.stateOf("A")).toEqual(was);
    });

    test("the newest state of a host counts, however often it was saved", async () => {
      const before = await stage();
      for (let time = 0; time < 30; time++) {
        const content = `${time}`.repeat(10_000);
        await before.ask("A", "upload_file", {
          path: "/etc/motd",
          content,
          mode: 0o100644,
          owner: "root",
          group: "root",
          accessedAt: 0,
          modifiedAt: 0,
        });
      }
      const was = before.nodes.stateOf("A");
      const after = await restart();
      expect(after.nodes.stateOf("A")).toEqual(was);
    });

    if (!shared) return;

    test("nodes that several processes simulate are the same for all of them", async () => {
      const one = await stage();
      const two = await stage();
      await one.ask("A", "blockdev_create", creationOf(aPlainDisk("one")));
      await two.ask("A", "blockdev_create", creationOf(aPlainDisk("two")));
      await one.ask("B", "instance_start", { instance: anInstance(), startupPaused: false });
      await one.ask("A", "blockdev_create", creationOf(aPlainDisk("three")));
      const hypervisors = [{ name: "kvm", hvparams: {} }];
      expect(await two.ask("B", "instance_list", { hypervisors })).toEqual(["web.example.com"]);
      await two.ask("A", "vg_list", {});
      for (const under of [one, two])
        expect(volumesOn(under, "A")).toEqual(["one", "two", "three"]);
      await two.nodes.powerOff("C");
      expect(await one.answer("C", "vg_list", {})).toMatchObject({ ok: false });
    });

    test("changes of node states by others are reported once", async () => {
      const one = await stage();
      const states = await connect();
      const notified: string[][] = [];
      const two = await nodesOn({
        ...states,
        alone: (adopt, act) =>
          states.alone?.((changed) => {
            notified.push([...changed.hosts.keys()]);
            adopt(changed);
          }, act) as never,
      });
      notified.length = 0;
      await one.ask("A", "blockdev_create", creationOf(aPlainDisk("one")));
      await one.ask("B", "blockdev_create", creationOf(aPlainDisk("one")));
      await two.ask("C", "vg_list", {});
      await two.ask("C", "blockdev_create", creationOf(aPlainDisk("one")));
      await two.ask("C", "vg_list", {});
      expect(notified.map((names) => names.toSorted())).toEqual([
        ["A.example.com", "B.example.com"],
      ]);
    });

    test("a turn that fails keeps nothing, and the next one begins with what is true", async () => {
      const under = await stage();
      await under.ask("A", "blockdev_create", creationOf(aPlainDisk("one")));
      const states = await connect();
      const hostsIn: (readonly string[])[] = [];
      const turn = <T>(act: () => T) =>
        states.alone?.(({ hosts }) => void hostsIn.push([...hosts.keys()]), act);
      await turn(() => undefined);
      const failing = async () =>
        turn(() => {
          states.save(new Map([["A.example.com", '{"name":"A.example.com"}']]));
          throw new Error("no");
        });
      await expect(failing()).rejects.toThrow("no");
      hostsIn.length = 0;
      await turn(() => undefined);
      expect(hostsIn.flat().toSorted()).toEqual(names.map((name) => `${name}.example.com`));
      expect(volumesOn(await restart(), "A")).toEqual(["one"]);
    });

    test("nodes whose states have been closed do not answer", async () => {
      const states = await connect();
      const under = await nodesOn(states);
      await states.close();
      open.length = 0;
      expect(await under.answer("A", "vg_list", {})).toMatchObject({ ok: false });
      await expect(
        (async () =>
          states.alone?.(
            () => {},
            () => {},
          ))(),
      ).rejects.toThrow(NodeStatesError);
    });
  });
}
