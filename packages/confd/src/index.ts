/** Ganeti's UDP configuration queries: messages, answers, server, client. */

// A server that answers from snapshots of the configuration.

export { answerConfdQuery } from "./answer/answer-query.js";
export type { ConfdCounts } from "./server/counts.js";
export {
  type ConfdSource,
  type ConfdUnavailable,
  notYetLoaded,
  respondTo,
} from "./server/responder.js";
export {
  type ConfdPeer,
  type ConfdServer,
  type ConfdServerOptions,
  createConfdServer,
} from "./server/server.js";

// A client that asks several servers and takes the newest answer.

export {
  type AskResult,
  ConfdClient,
  type ConfdClientOptions,
  requestExpiryMs,
} from "./client/client.js";
export { ConfdClientError } from "./client/client-error.js";
export { connectConfdClient } from "./client/connect.js";
export type { ConfdEvent, ConfdRequest } from "./client/events.js";
export {
  type ConfdListener,
  newestAnswers,
} from "./client/newest-answers.js";
export { chosenPeers, coverageDefault, neededReplies } from "./client/peers.js";
export { type ConfdTransport, udpTransport } from "./client/transport.js";

// The key shared by servers and clients.

export {
  checkedConfdKey,
  createConfdKey,
  ensureConfdKey,
  newConfdKey,
  readConfdKey,
} from "./key-file.js";

// Messages as they travel.

export { ConfdAnswer, readConfdAnswer, writeConfdAnswer } from "./wire/answer.js";
export {
  type ConfdType,
  confdErrors,
  confdPort,
  confdRoles,
  confdStatuses,
  confdTypes,
  masterFields,
  queryKeys,
} from "./wire/constants.js";
export { ConfdArgument, ConfdQuery, readConfdQuery, writeConfdQuery } from "./wire/query.js";
export { signatureOf } from "./wire/signed-message.js";
