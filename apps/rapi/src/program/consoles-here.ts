/** consolesHere: nodes of a twin, whose consoles must not lead to the real machines of the same names. */
import type { Console, NodeAnswer, NodeBackend } from "@ganeti-ts/node-calls";

type Consoles = Readonly<Record<string, Console>>;

/** `nodes` with consoles that do not use ssh, which would reach the machine of the original. */
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
