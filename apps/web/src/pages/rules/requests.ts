/** Requests about filter rules. */
import { ask } from "../../api/server.js";
import { compareRules, type Effects, type Rule, type RuleBody } from "./rule.js";

/** Rules in the order of their evaluation. @throws ServerError */
export const readRules = async (): Promise<{ rules: readonly Rule[]; effects: Effects }> => {
  const [rules, effects] = await Promise.all([
    ask<readonly Rule[]>("GET", "/2/filters?bulk=1"),
    ask<Effects>("GET", "/ganeti-ts/1/filters"),
  ]);
  return { rules: rules.toSorted(compareRules), effects };
};

const path = (uuid: string) => `/2/filters/${encodeURIComponent(uuid)}`;

/** Replaces the rule with that UUID; undefined adds one. @throws ServerError */
export const storeRule = (uuid: string | undefined, body: RuleBody): Promise<string> =>
  uuid === undefined ? ask("POST", "/2/filters", body) : ask("PUT", path(uuid), body);

export const removeRule = (uuid: string): Promise<null> => ask("DELETE", path(uuid));
