// Thread that writes SQLite files, so that the event loop of the process waits neither for SQLite nor for the disk.
import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import { Writing } from "./writing.js";

const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);
const writing = new Writing((replies) => port.postMessage(replies));

port.on("message", (first) => {
  const orders = [first];
  // Those that came during the last sync share the next one.
  for (let next = received(); next !== undefined; next = received()) orders.push(next);
  writing.carryOut(orders);
});

/** The next order that has arrived. @returns {import("./writer.js").Order | undefined} */
const received = () => receiveMessageOnPort(port)?.message;
