/** One node group: its members, instance policy, parameters, tags and jobs. */
import { linkTo } from "../../address.js";
import { useLive } from "../../api/live.js";
import { ask, query } from "../../api/server.js";
import { type Me, nodeFields } from "../../api/shapes.js";
import { withoutRight } from "../../parts/action.js";
import { History } from "../../parts/history.js";
import { Notice, PageHeading } from "../../parts/notice.js";
import { type Parameters, ParameterTable } from "../../parts/parameter-table.js";
import { Role } from "../../parts/role.js";
import { Table } from "../../parts/table.js";
import { Tags } from "../../parts/tags.js";
import { JobOutcome, useJob } from "../../parts/use-job.js";
import { sizeText } from "../../words.js";
import { type Policy, PolicyTable } from "./policy.js";

interface Group {
  readonly name: string;
  readonly alloc_policy: string;
  readonly ipolicy: Policy;
  readonly custom_ipolicy?: Parameters;
  readonly ndparams?: Parameters;
  readonly custom_ndparams?: Parameters;
  readonly tags: readonly string[];
}

async function readGroup(name: string) {
  const [group, members] = await Promise.all([
    ask<Group>("GET", `/2/groups/${encodeURIComponent(name)}`),
    query("node", nodeFields, ["==", "group", name]),
  ]);
  return { group, members };
}

const operations = ["ADD", "SET_PARAMS", "RENAME", "ASSIGN_NODES", "EVACUATE", "VERIFY_DISKS"].map(
  (one) => `GROUP_${one}`,
);

export default function GroupPage({ name, me }: { readonly name: string; readonly me: Me }) {
  const { value, problem } = useLive(`group ${name}`, ["config"], () => readGroup(name));
  if (value === undefined) {
    if (problem === undefined) return <p>Loading …</p>;
    return (
      <Notice kind="error">
        {name}: {problem} <a href={linkTo(["groups"])}>All groups</a>
      </Notice>
    );
  }
  const { group, members } = value;
  return (
    <>
      <PageHeading title={group.name} says="node group" problem={problem} />
      <div class="actions">
        <a class="button strong" href={linkTo(["balance"], { group: group.name })}>
          Balance
        </a>
        <a
          class="button"
          href={linkTo(["maintenance"], { nodes: members.map((node) => node.name).join(",") })}
        >
          Plan its maintenance
        </a>
        <AllocationPolicy group={group} me={me} />
      </div>
      <Table
        title="Nodes"
        note={<p>{members.length}</p>}
        heads={["Node", "Role", "Memory free", "Disk free", "Primary", "Secondary"]}
        rows={members.map((node) => [
          <a href={linkTo(["nodes", node.name])}>{node.name}</a>,
          <Role of={node.role} />,
          sizeText(node.mfree),
          sizeText(node.dfree),
          String(node.pinst_cnt),
          String(node.sinst_cnt),
        ])}
      />
      <PolicyTable policy={group.ipolicy} own={group.custom_ipolicy ?? {}} />
      <Tags tags={group.tags} path={["groups", group.name]} me={me} />
      <ParameterTable
        title="Node parameters"
        owner="group"
        all={group.ndparams ?? {}}
        own={group.custom_ndparams ?? {}}
      />
      <History name={group.name} operations={operations} />
    </>
  );
}

const policies = [
  ["preferred", "preferred"],
  ["last_resort", "last resort"],
  ["unallocable", "none"],
] as const;

function AllocationPolicy({ group, me }: { readonly group: Group; readonly me: Me }) {
  const { outcome, submit } = useJob();
  const off = withoutRight(me);
  const change = (event: Event) => {
    const alloc_policy = (event.currentTarget as HTMLSelectElement).value;
    const path = `/2/groups/${encodeURIComponent(group.name)}/modify`;
    void submit(() => ask("PUT", path, { alloc_policy }));
  };
  return (
    <>
      <label class="inline" title={off}>
        New instances{" "}
        <select value={group.alloc_policy} onChange={change} disabled={off !== undefined}>
          {policies.map(([value, text]) => (
            <option value={value} key={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {off && <small>{off}</small>}
      <JobOutcome of={outcome} done={["groups", group.name]} />
    </>
  );
}
