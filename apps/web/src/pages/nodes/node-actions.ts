/** Changes of nodes that the page offers, one job for each node. */
import { ask } from "../../api/server.js";
import type { ObjectAction } from "../../parts/submitted.js";
import { addTag } from "../../parts/tags.js";

const at = (name: string, rest: string): string => `/2/nodes/${encodeURIComponent(name)}${rest}`;

/** Changes the role of a node. If too few candidates would be left, another node becomes one. */
const setRole = (name: string, role: "drained" | "offline" | "master-candidate") =>
  ask("PUT", at(name, "/role?auto-promote=1"), role);

export const nodeActions: readonly ObjectAction[] = [
  {
    title: "Drain",
    question: (what) =>
      `Drain ${what}? New instances are placed elsewhere; those that are there stay until they are moved.`,
    submit: (name) => setRole(name, "drained"),
  },
  {
    title: "Set offline",
    isDangerous: true,
    question: (what) =>
      `Set ${what} offline? The cluster no longer talks to it; instances that still run there are out of its control.`,
    submit: (name) => setRole(name, "offline"),
  },
  {
    title: "Power cycle",
    isDangerous: true,
    question: (what) =>
      `Power cycle ${what}? Everything that runs there is switched off without a shutdown.`,
    submit: (name) => ask("POST", at(name, "/powercycle")),
  },
  {
    title: "Bring back",
    question: (what) => `Bring ${what} back? It takes instances again.`,
    submit: (name) => ask("POST", at(name, "/modify"), { drained: false, offline: false }),
  },
  {
    title: "Make candidate",
    question: (what) => `Make ${what} a master candidate? It gets a copy of the configuration.`,
    submit: (name) => setRole(name, "master-candidate"),
  },
  {
    title: "Add tag",
    wants: "Tag",
    submit: (name, tag) => addTag(["nodes", name], tag),
  },
];

/** The actions that maintenance needs, in their order. */
export const maintenanceActions = nodeActions.filter(({ title }) =>
  ["Drain", "Power cycle", "Bring back"].includes(title),
);
