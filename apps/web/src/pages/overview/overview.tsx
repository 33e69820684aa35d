/** Overview: nodes by group with their resources, score and N+1 of each group, capacity, verification, and the latest jobs. */
import { linkTo } from "../../address.js";
import { useCollection } from "../../api/collection.js";
import { useLive } from "../../api/live.js";
import { ask, query } from "../../api/server.js";
import { hasEnded, type JobRow, type Me, type NodeRow, nodeFields } from "../../api/shapes.js";
import { jobSource } from "../../api/sources.js";
import { Meter } from "../../parts/meter.js";
import { Notice, Unread } from "../../parts/notice.js";
import { roleText } from "../../parts/role.js";
import { Status } from "../../parts/status.js";
import { sizeText } from "../../words.js";
import { type Info, RoomCard, Terms, useRoom } from "./room.js";
import { VerifyCard } from "./verify.js";

/** Placement figures of a node group that has nodes online. */
interface Placement {
  readonly score: number;
  readonly terms: Readonly<Record<string, number>>;
  readonly n1_slack: number;
  readonly n1_failing_nodes: number;
}

const readCluster = async () => {
  const [info, nodes, placement] = await Promise.all([
    ask<Info>("GET", "/2/info"),
    query("node", nodeFields),
    ask<Readonly<Record<string, Placement>>>("GET", "/ganeti-ts/1/placement"),
  ]);
  return { info, nodes, placement };
};

export function OverviewPage({ me }: { readonly me: Me }) {
  const { value, problem } = useLive("overview", ["config"], readCluster);
  const { rows: jobs } = useCollection("jobs", jobSource);
  const room = useRoom(value?.info, value?.nodes.length);
  if (value === undefined) return <Unread problem={problem} />;
  const { info, nodes, placement } = value;
  const groups = [...new Set(nodes.map(({ group }) => group))].sort();
  const jobList = [...(jobs?.values() ?? [])];
  return (
    <>
      <h1>{info.name}</h1>
      {problem && <Notice kind="warning">{problem}</Notice>}
      <Totals nodes={nodes} jobs={jobList} />
      <div class="pair">
        <RoomCard room={room} />
        <VerifyCard jobs={jobList} me={me} />
      </div>
      {groups.map((group) => (
        <section aria-label={`Node group ${group}`} key={group}>
          <div class="heading">
            <h2>{group}</h2>
            <GroupFigures placement={placement[group]} />
          </div>
          <Terms terms={placement[group]?.terms} />
          <div class="tiles">
            {nodes
              .filter((node) => node.group === group)
              .map((node) => (
                <NodeTile key={node.name} node={node} isMaster={node.name === info.master} />
              ))}
          </div>
        </section>
      ))}
      <LatestJobs jobs={jobList} />
    </>
  );
}

const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

function Totals({
  nodes,
  jobs,
}: {
  readonly nodes: readonly NodeRow[];
  readonly jobs: readonly JobRow[];
}) {
  const memory = sum(nodes.map(({ mfree }) => mfree));
  const disk = sum(nodes.map(({ dfree }) => dfree));
  const figures = [
    [String(sum(nodes.map(({ pinst_cnt }) => pinst_cnt))), "instances", linkTo(["instances"])],
    [String(nodes.length), "nodes", linkTo(["nodes"])],
    [sizeText(memory), "memory free", undefined],
    [sizeText(disk), "disk free", undefined],
    [
      String(jobs.filter(({ status }) => !hasEnded(status)).length),
      "jobs at work",
      linkTo(["jobs"], { show: "open" }),
    ],
  ] as const;
  return (
    <ul class="figures">
      {figures.map(([figure, text, link]) => (
        <li>
          <strong>{figure}</strong> {link ? <a href={link}>{text}</a> : text}
        </li>
      ))}
    </ul>
  );
}

function GroupFigures({ placement }: { readonly placement: Placement | undefined }) {
  const { score, n1_failing_nodes: failing, n1_slack: slack } = placement ?? {};
  return (
    <p>
      {score !== undefined && (
        <span title="As hbal computes it: the lower, the better balanced">
          score {score.toFixed(3)}
        </span>
      )}
      {failing !== undefined && (
        <span class={failing > 0 ? "status bad" : "status good"}>
          {failing > 0
            ? `N+1 fails on ${failing} ${failing === 1 ? "node" : "nodes"}`
            : "N+1 holds"}
        </span>
      )}
      {slack !== undefined && <span>{sizeText(slack)} left if the worst node dies</span>}
    </p>
  );
}

function NodeTile({ node, isMaster }: { readonly node: NodeRow; readonly isMaster: boolean }) {
  const role = roleText(isMaster ? "M" : node.role);
  const isAway = node.role === "O" || node.mtotal === null;
  const filter = `pnode == "${node.name}"`;
  return (
    <article class={isAway ? "card tile away" : "card tile"} aria-label={node.name}>
      <h3 title={node.name}>
        <a href={linkTo(["nodes", node.name])}>{node.name.split(".")[0]}</a>
      </h3>
      <p class="role">
        {role}
        {node.mtotal === null && node.role !== "O" && ": does not answer"}
      </p>
      <Meter name="Memory" free={node.mfree} total={node.mtotal} />
      <Meter name="Disk" free={node.dfree} total={node.dtotal} />
      <p class="small">
        {node.ctotal ?? "–"} CPUs ·{" "}
        <a href={linkTo(["instances"], { filter })}>{node.pinst_cnt} primary</a> · {node.sinst_cnt}{" "}
        secondary
      </p>
    </article>
  );
}

/** Number of jobs shown on the overview. */
const latestCount = 8;

function LatestJobs({ jobs }: { readonly jobs: readonly JobRow[] }) {
  const latest = jobs.toSorted((a, b) => b.id - a.id).slice(0, latestCount);
  return (
    <section aria-label="Latest jobs">
      <div class="heading">
        <h2>Latest jobs</h2>
        <a href={linkTo(["jobs"])}>all jobs</a>
      </div>
      <ul class="card lines">
        {latest.length === 0 && <li>No jobs yet.</li>}
        {latest.map((job) => (
          <li key={job.id}>
            <a href={linkTo(["jobs", String(job.id)])}>{job.id}</a>
            <span class="grow">{job.summary.join(", ")}</span>
            <Status of={job.status} isJob />
          </li>
        ))}
      </ul>
    </section>
  );
}
