/** Questions at the terminal, in Ganeti's form: the choices by letter, the last of them in brackets, `?` for help. */

import { filled } from "./fill.js";
import type { Ask, Choice } from "./invocation.js";
import type { Machine } from "./machine.js";

const yesOrNo: readonly Choice<boolean>[] = [
  { key: "y", value: true, does: "Perform the operation" },
  { key: "n", value: false, does: "Do not perform the operation" },
];

export function terminalAsk(machine: Machine): Ask {
  const choose = async <Value>(
    question: string,
    choices: readonly Choice<Value>[],
    answeredBy: string,
  ): Promise<Value> => {
    const last = choices.at(-1) as Choice<Value>;
    const keys = [...choices.slice(0, -1).map(({ key }) => key), `[${last.key}]`, "?"].join("/");
    const words = filled(question, 70);
    const text = `${words}\n${keys}: `;
    let said = text;
    for (;;) {
      const line = await machine.askTerminal(said);
      if (line === undefined) {
        machine.writeError(`${words}\n${unanswered(last, answeredBy)}\n`);
        return last.value;
      }
      const letter = line.trim().toLowerCase().slice(0, 1);
      const chosen = choices.find(({ key }) => key === letter);
      if (chosen !== undefined) return chosen.value;
      const help = choices.map(({ key, does }) => ` ${key} - ${does}\n`).join("");
      said = letter === "?" ? `${help}\n${text}` : text;
    }
  };
  return { choose, confirm: (question, answeredBy) => choose(question, yesOrNo, answeredBy) };
}

const unanswered = ({ key }: Choice<unknown>, answeredBy: string): string =>
  `There is no terminal to ask on, so the answer is taken to be '${key}' and nothing is done.` +
  ` Use ${answeredBy} to answer without a terminal.`;
