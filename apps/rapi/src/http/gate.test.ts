import { describe, expect, test } from "vitest";
import { clientAddress } from "./connection.js";
import { ClientGone } from "./fault.js";
import { Gate, type GateOptions } from "./gate.js";

/** Lets pending work run without advancing the clock. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A gate, requests that end at the test's command, and the order in which they begin. */
function aGate(options: GateOptions) {
  const gate = new Gate(options);
  const begun: string[] = [];
  const ask = (name: string, client = name) => {
    const signal = new AbortController();
    let end = () => {};
    const ended = new Promise<string>((resolve) => {
      end = () => resolve(name);
    });
    const connection = {
      get isClosed() {
        return signal.signal.aborted;
      },
      onClose(listener: () => void) {
        signal.signal.addEventListener("abort", listener);
        return () => signal.signal.removeEventListener("abort", listener);
      },
    };
    const answer = gate.pass({ client, connection }, () => {
      begun.push(name);
      return ended;
    });
    answer.catch(() => {});
    return { end, answer, close: () => signal.abort() };
  };
  return { gate, begun, ask };
}

describe("gate", () => {
  test("a gate admits requests of one client in the order of their arrival", async () => {
    const { begun, ask } = aGate({ placesMax: 1 });
    const [first, second] = [ask("1", "a"), ask("2", "a"), ask("3", "a")];
    await settled();
    expect(begun).toEqual(["1"]);
    first.end();
    expect(await first.answer).toBe("1");
    second.end();
    await settled();
    expect(begun).toEqual(["1", "2", "3"]);
  });

  test("clients take turns, so that many requests of one do not delay another", async () => {
    const { begun, ask } = aGate({ placesMax: 1 });
    const asked = ["a1", "a2", "a3", "b1", "c1"].map((name) => ask(name, name.slice(0, 1)));
    for (const { end } of asked) end();
    await Promise.all(asked.map(({ answer }) => answer));
    expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3"]);
  });

  test("places are kept for others when one client requests all of them", async () => {
    const { gate, begun, ask } = aGate({ placesMax: 4, shareMax: 2 });
    for (const name of ["a1", "a2", "a3", "a4"]) ask(name, "a");
    ask("b1", "b");
    await settled();
    expect(begun).toEqual(["a1", "a2", "b1"]);
    expect(gate.figures()).toEqual({ running: 3, waiting: 2, abandoned: 0 });
  });

  test("a waiting request is removed when its connection closes", async () => {
    const { gate, begun, ask } = aGate({ placesMax: 1 });
    const [first, second] = [ask("1"), ask("2"), ask("3")];
    await settled();
    second.close();
    await expect(second.answer).rejects.toBeInstanceOf(ClientGone);
    expect(gate.figures().waiting).toBe(1);
    first.end();
    await settled();
    expect(begun).toEqual(["1", "3"]);
  });

  test("a request whose connection has already closed is refused", async () => {
    const { gate, begun } = aGate({ placesMax: 1 });
    const connection = { isClosed: true, onClose: () => () => {} };
    const work = async () => begun.push("never");
    await expect(gate.pass({ client: "a", connection }, work)).rejects.toBeInstanceOf(ClientGone);
    expect(begun).toEqual([]);
    expect(gate.figures()).toEqual({ running: 0, waiting: 0, abandoned: 0 });
  });

  test("the place of a closed connection goes to another client, while its work still counts for its own client", async () => {
    const { gate, begun, ask } = aGate({ placesMax: 1, shareMax: 1 });
    const first = ask("a1", "a");
    ask("a2", "a");
    const other = ask("b1", "b");
    await settled();
    first.close();
    await settled();
    // The work of the closed request still uses the whole share of its client.
    expect(begun).toEqual(["a1", "b1"]);
    expect(gate.figures()).toEqual({ running: 1, waiting: 1, abandoned: 1 });
    other.end();
    await settled();
    expect(begun).toEqual(["a1", "b1"]);
    first.end();
    await settled();
    expect(begun).toEqual(["a1", "b1", "a2"]);
  });

  test("requests of a client count together after one of them has been removed", async () => {
    const { gate, begun, ask } = aGate({ placesMax: 2, shareMax: 1 });
    const blocker = ask("b1", "b");
    const other = ask("c1", "c");
    ask("a1", "a").close();
    ask("a2", "a");
    await settled();
    ask("a3", "a");
    other.end();
    blocker.end();
    await settled();
    expect(begun).toEqual(["b1", "c1", "a2"]);
    expect(gate.figures()).toEqual({ running: 1, waiting: 1, abandoned: 0 });
  });

  test("a standstill reports for how long requests have waited while none has ended", async () => {
    let now = 1000;
    const { gate, ask } = aGate({ placesMax: 1, now: () => now });
    const first = ask("1");
    await settled();
    now += 50_000;
    expect(gate.standstill()).toBeUndefined();
    const second = ask("2");
    await settled();
    now += 40_000;
    expect(gate.standstill()).toEqual({ running: 1, waiting: 1, abandoned: 0, forMs: 40_000 });
    ask("3");
    first.end();
    await settled();
    expect(gate.standstill()?.forMs).toBe(0);
    // A closing connection does not count as progress: the request that gets its place may hang as well.
    now += 35_000;
    second.close();
    await settled();
    ask("4");
    now += 1000;
    expect(gate.standstill()).toEqual({ running: 1, waiting: 1, abandoned: 1, forMs: 1000 });
    now += 1000;
    ask("5").close();
    expect(gate.standstill()?.forMs).toBe(2000);
  });

  test("requests that wait for their own client's share do not count as stuck", async () => {
    let now = 0;
    const { gate, ask } = aGate({ placesMax: 4, shareMax: 1, now: () => now });
    ask("a1", "a");
    ask("a2", "a");
    await settled();
    now += 100_000;
    expect(gate.figures().waiting).toBe(1);
    expect(gate.standstill()).toBeUndefined();
  });
});

test.each([
  ["10.0.0.1", "10.0.0.1"],
  ["::ffff:10.0.0.1", "10.0.0.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::5", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  [undefined, "unknown"],
])("requests from %s count as those of %s", (address, client) => {
  expect(clientAddress(address)).toBe(client);
});
