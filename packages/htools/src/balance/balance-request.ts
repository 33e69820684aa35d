/** A request to balance a group, with the defaults of hbal for all that is not given. */
import type { AllocatorRequest } from "@ganeti-ts/protocol";
import { balanceDefaults } from "./balance-options.js";

type BalanceRequest = Extract<AllocatorRequest, { type: "balance" }>;

/** The request that `answerRequest` and `explainRequest` take: of all instances, without limit unless `more` sets one. */
export function balanceRequestOf(more: Partial<Omit<BalanceRequest, "type">> = {}): BalanceRequest {
  const { stepsMax: movesMax, preferForthcoming: _, ...options } = balanceDefaults;
  const request = { groupName: undefined, movesMax, selectedIndices: [], excludedIndices: [] };
  return { type: "balance", ...request, ...options, ...more };
}
