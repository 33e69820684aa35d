/** consolesHere: nodes of a twin, whose names are those of real machines, to which no answer may lead anybody. */
import type { Console, NodeAnswer, NodeBackend } from "@ganeti-ts/node-calls";

type Consoles = Readonly<Record<string, Console>>;

/** `nodes` whose consoles are not behind ssh, which would find the machine of the original. */
export const consolesHere = (nodes: NodeBackend): NodeBackend => ({
  introduce: (node) => nodes.introduce(node),
  async call(node, name, args, caller) {
    const answer = await nodes.call(node, name, args, caller);
    if (name !== "instance_console_info" || !answer.ok) return answer;
    const names = Object.keys(answer.value as Consoles);
    const value: Consoles = Object.fromEntries(
      names.map((instance) => [instance, { instance, kind: "msg", message }]),
    );
    return { ok: true, value } as NodeAnswer<never>;
  },
});

const message = "This is a twin: consoles of its instances are on the page of its server";
