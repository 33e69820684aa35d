/** Shell commands that carry out a plan, as lines of a script. Source: Ganeti, HTools/Program/Hsqueeze.hs. */
import {
  type Cluster,
  jobSetLines,
  jobSets,
  nodeAlias,
  type SqueezePlan,
  standbyTag,
} from "@ganeti-ts/htools";

export function planCommands(cluster: Cluster, plan: SqueezePlan): string {
  const { action, nodes, steps } = plan;
  const nameOf = (index: number) => cluster.data.instances[index]?.name as string;
  const moving = jobSetLines(cluster, jobSets(cluster, steps), nameOf);
  const power = (state: "on" | "off") => [
    "echo Power Commands",
    ...nodes.map((node) => `  gnt-node power -f ${state} ${nodeAlias(cluster, node)}`),
  ];
  switch (action) {
    case "none":
      return "echo Nothing to do";
    case "expand":
      return script([...power("on"), ...moving]);
    case "shrink": {
      const tagging = nodes.map(
        (node) => `  gnt-node add-tags ${nodeAlias(cluster, node)} ${standbyTag}`,
      );
      return script([...moving, "", "echo Tagging Commands", ...tagging, "", ...power("off")]);
    }
  }
}

const script = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
