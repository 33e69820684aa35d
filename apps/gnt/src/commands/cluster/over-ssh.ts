/** What needs ssh to the nodes, which the server does not have. */
import { Ending } from "../../errors.js";

export const noSsh = (command: string): Ending =>
  new Ending(
    `Cannot ${command}: the server reaches its nodes without ssh, and runs only what they allow.` +
      " See gnt-node restricted-command.",
  );
