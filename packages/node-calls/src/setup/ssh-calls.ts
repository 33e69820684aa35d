/** Keys by which the nodes of a cluster log in to each other; the master carries these calls out for all. */
import * as z from "zod";
import { call, list, object } from "../call.js";

const names = list(z.string());

/** Nodes whose files could not be changed, each with the reason. */
const FailedNodes = list(object({ node: z.string(), message: z.string() }));

export const sshCalls = {
  node_ssh_key_add: call("fast", "same", FailedNodes, {
    uuid: z.string(),
    name: z.string(),
    /** Names. */
    potentialCandidates: names,
    toAuthorizedKeys: z.boolean(),
    toPublicKeys: z.boolean(),
    getPublicKeys: z.boolean(),
  }),
  node_ssh_key_remove: call("fast", "same", FailedNodes, {
    uuid: z.string(),
    name: z.string(),
    /** UUIDs. */
    candidates: names,
    /** Names. */
    potentialCandidates: names,
    fromAuthorizedKeys: z.boolean(),
    fromPublicKeys: z.boolean(),
    clearAuthorizedKeys: z.boolean(),
    clearPublicKeys: z.boolean(),
    isReadded: z.boolean(),
  }),
  /** New keys of all these nodes; candidates may log in everywhere. */
  node_ssh_keys_renew: call("fourHours", "again", FailedNodes, {
    /** UUIDs, and names in the same order. */
    uuids: names,
    names,
    /** UUIDs. */
    candidates: names,
    /** Names. */
    potentialCandidates: names,
    oldKeyType: z.string(),
    newKeyType: z.string(),
    newKeyBits: z.int(),
  }),
};
