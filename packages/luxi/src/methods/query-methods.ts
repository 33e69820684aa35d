/** Methods that ask for the cluster, and those about filter rules. */
import { FilterUuid } from "@ganeti-ts/protocol";
import * as z from "zod";
import {
  AnyJson,
  FilterArgument,
  itemKind,
  NoLock,
  ReasonArgument,
  RuleAction,
  RulePredicates,
  RulePriority,
  RuleUuid,
  TagKindArgument,
  Text,
  Texts,
} from "./arguments.js";
import { ClusterInfo } from "./cluster-info.js";
import { method } from "./define.js";
import { FieldList, QueryAnswer, Rows } from "./results.js";

/** Queries by name: an empty list of names is all items. */
const classic = method({
  parameters: { names: Texts, fields: Texts, lock: NoLock },
  result: Rows,
  arityFault: "Unable to read Triple",
});

export const queryMethods = {
  Query: method({
    parameters: { kind: itemKind("Query"), fields: Texts, filter: FilterArgument },
    result: QueryAnswer,
    arityFault: "Unable to read Triple",
  }),
  QueryFields: method({
    /** Null: all fields. */
    parameters: { kind: itemKind("QueryFields"), fields: Texts.nullable() },
    result: FieldList,
    arityFault: "Unable to read Pair",
  }),
  QueryInstances: classic,
  QueryNodes: classic,
  QueryGroups: classic,
  QueryNetworks: classic,
  QueryExports: method({
    parameters: { nodes: Texts, lock: NoLock },
    /** `[node, export]`, null for a node without any. */
    result: z.array(z.tuple([z.string(), z.string().nullable()]).readonly()).readonly(),
    arityFault: "Unable to read Pair",
  }),
  QueryFilters: method({
    parameters: { uuids: Texts.nullable(), fields: Texts },
    result: Rows,
    arityFault: "Unable to read Pair",
  }),
  QueryTags: method({
    parameters: { kind: TagKindArgument, name: Text },
    result: z.array(z.string()).readonly(),
    arityFault: "Unable to read Pair",
  }),
  QueryConfigValues: method({
    parameters: { names: Texts },
    result: z.array(AnyJson).readonly(),
  }),
  QueryClusterInfo: method({ parameters: {}, result: ClusterInfo }),
  ReplaceFilter: method({
    parameters: {
      /** Null: a new rule. */
      uuid: RuleUuid.nullable(),
      priority: RulePriority,
      predicates: RulePredicates,
      action: RuleAction,
      reason: ReasonArgument,
    },
    result: FilterUuid,
    arityFault: "Unable to read Tuple5",
  }),
  DeleteFilter: method({ parameters: { uuid: Text }, result: z.null() }),
};
