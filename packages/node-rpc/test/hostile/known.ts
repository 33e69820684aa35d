// Valid exchanges of every call, from which bad ones are generated.
import type { NodeBackend, NodeCallArguments, NodeCallName } from "@ganeti-ts/node-calls";
import { checkLaw, laws } from "@ganeti-ts/node-calls/conformance";
import { type Json, writeAsciiJson } from "@ganeti-ts/protocol";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { encodeAnswer, encodeArguments, noNodes } from "../../src/index.js";
import { members, simulation, thingsOfStage } from "../simulated-stage.js";

/** One call with the bodies of its request and answer. */
export interface KnownExchange {
  readonly name: NodeCallName;
  readonly args: NodeCallArguments<NodeCallName>;
  readonly request: Json;
  readonly answer: Json;
}

/** Maximum number of different exchanges that are kept per call. */
const eachMax = 4;

/** Exchanges that the laws of node back ends make on simulated nodes, which are all calls of the catalog. */
export async function knownExchanges(): Promise<readonly KnownExchange[]> {
  const known: KnownExchange[] = [];
  const texts = new Set<string>();
  const counts = new Map<string, number>();
  const note = (exchange: KnownExchange) => {
    const { name, request, answer } = exchange;
    const text = `${name} ${writeAsciiJson(request)} ${writeAsciiJson(answer)}`;
    const count = counts.get(name) ?? 0;
    if (texts.has(text) || count >= eachMax) return;
    texts.add(text);
    counts.set(name, count + 1);
    known.push(exchange);
  };
  for (const law of laws) {
    const clock = new VirtualClock();
    const simulated = await simulation(clock);
    const nodes: NodeBackend = {
      introduce: (node) => simulated.introduce(node),
      async call(node, name, args, caller) {
        const answer = await simulated.call(node, name, args, caller);
        note({
          ...{ name, args: args as KnownExchange["args"] },
          request: encodeArguments(name, args, noNodes),
          answer: encodeAnswer(name, answer, noNodes),
        });
        return answer;
      },
    };
    const pass = (milliseconds: number) => clock.pass(milliseconds);
    const stage = { nodes, fence: simulated, members, ...thingsOfStage, pass };
    await checkLaw(law, async () => stage);
  }
  return known;
}
