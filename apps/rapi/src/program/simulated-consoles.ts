/** Consoles of simulated instances: a terminal and a screen inside this process. */
import { Duplex } from "node:stream";
import { type ConsoleFacts, simulatedScreen, simulatedTerminal } from "@ganeti-ts/simulated-nodes";
import { ConsoleError, type Consoles } from "../console/consoles.js";

export const simulatedConsoles: Consoles = {
  kindsOf: () => ["vnc", "serial"],
  async open({ name, node, os, memoryMib, vcpus }, kind) {
    const facts = { instance: name, node, os, memoryMib, vcpus };
    const stream = kind === "vnc" ? screenStream(facts) : terminalStream(facts);
    return { stream, password: undefined };
  },
};

const terminalStream = (facts: ConsoleFacts): Duplex =>
  streamOf((send) => {
    const { input } = simulatedTerminal(facts, (text) => send(Buffer.from(text)));
    const decoder = new TextDecoder();
    return (bytes) => input(decoder.decode(bytes, { stream: true }));
  });

const screenStream = (facts: ConsoleFacts): Duplex =>
  streamOf((send) => simulatedScreen(facts, send).input);

/** Stream whose written bytes are input of the console, and whose read bytes are its output. */
function streamOf(
  open: (send: (bytes: Uint8Array) => void) => (bytes: Uint8Array) => void,
): Duplex {
  const stream = new Duplex({
    read() {},
    write(bytes: Buffer, _, done) {
      try {
        input(bytes);
        done();
      } catch (error) {
        done(new ConsoleError((error as Error).message));
      }
    },
  });
  const input = open((bytes) => stream.push(bytes));
  return stream;
}
