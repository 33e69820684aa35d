/** The thread of the daemon that answers configuration queries. */
import { parentPort, workerData } from "node:worker_threads";
import { createConfdServer } from "@ganeti-ts/confd";
import { systemClock } from "@ganeti-ts/protocol";
import type { ConfdThreadData } from "./confd/confd-thread.js";
import { ownCopy } from "./confd/own-copy.js";

/** Maximum number of datagrams examined per second: a third of what one processor can answer. */
const perSecondMax = 10_000;

const { data, nodeName, address, port } = workerData as ConfdThreadData;
const source = ownCopy(data, nodeName, systemClock);
await createConfdServer({ ...source, address, port, perSecondMax });
parentPort?.postMessage("listening");
