/** Ganeti's UDP configuration queries: messages, answers, server, client. */
export { answerConfdQuery } from "./answer/answer-query.js";
export * from "./wire/answer.js";
export * from "./wire/constants.js";
export * from "./wire/query.js";
