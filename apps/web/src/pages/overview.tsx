/** Overview: nodes by group with their resources, score and N+1 of each group, and the latest jobs. */
import { linkTo } from "../address.js";
import { useLive } from "../api/live.js";
import { ask, query } from "../api/server.js";
import { hasEnded, type JobRow, jobFields, type NodeRow, nodeFields } from "../api/shapes.js";
import { Notice } from "../parts/notice.js";
import { Status } from "../parts/status.js";
import { gaugeValues, sizeText } from "../words.js";

interface Info {
  readonly name: string;
  readonly master: string;
}

const everything = async () => {
  const [info, nodes, metrics, jobs] = await Promise.all([
    ask<Info>("GET", "/2/info"),
    query<NodeRow>("node", nodeFields),
    ask<string>("GET", "/metrics"),
    query<JobRow>("job", jobFields),
  ]);
  return { info, nodes, metrics, jobs };
};

export function OverviewPage() {
  const { value, problem } = useLive("overview", ["job", "config"], everything);
  if (value === undefined)
    return problem ? <Notice kind="error">{problem}</Notice> : <p>Loading …</p>;
  const { info, nodes, metrics, jobs } = value;
  const groups = [...new Set(nodes.map(({ group }) => group))].sort();
  return (
    <>
      <h1>{info.name}</h1>
      {problem && <Notice kind="warning">{problem}</Notice>}
      <Totals nodes={nodes} jobs={jobs} />
      {groups.map((group) => (
        <section aria-label={`Node group ${group}`}>
          <div class="heading">
            <h2>{group}</h2>
            <GroupFigures group={group} metrics={metrics} />
          </div>
          <div class="tiles">
            {nodes
              .filter((node) => node.group === group)
              .map((node) => (
                <NodeTile node={node} isMaster={node.name === info.master} />
              ))}
          </div>
        </section>
      ))}
      <LatestJobs jobs={jobs} />
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
    [String(nodes.length), "nodes", undefined],
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

function GroupFigures({ group, metrics }: { readonly group: string; readonly metrics: string }) {
  const of = (name: string) => gaugeValues(metrics, name).get(group);
  const score = of("ganeti_group_score");
  const failing = of("ganeti_group_n1_failing_nodes");
  const slack = of("ganeti_group_n1_slack_mebibytes");
  return (
    <p>
      {score !== undefined && (
        <span title="As hbal computes it: the lower, the better balanced">
          score {score.toFixed(3)}
        </span>
      )}
      {failing !== undefined && (
        <span class={failing > 0 ? "status bad" : "status good"}>
          {failing > 0 ? `N+1 fails on ${failing} nodes` : "N+1 holds"}
        </span>
      )}
      {slack !== undefined && <span>{sizeText(slack)} left if the worst node dies</span>}
    </p>
  );
}

const roles: Readonly<Record<string, string>> = {
  C: "master candidate",
  R: "regular",
  D: "drained",
  O: "offline",
};

function NodeTile({ node, isMaster }: { readonly node: NodeRow; readonly isMaster: boolean }) {
  const role = isMaster ? "master" : (roles[node.role] ?? node.role);
  const isAway = node.role === "O" || node.mtotal === null;
  const filter = `pnode == "${node.name}"`;
  return (
    <article class={isAway ? "card tile away" : "card tile"} aria-label={node.name}>
      <h3 title={node.name}>{node.name.split(".")[0]}</h3>
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

/** Shares above which a resource is shown as scarce. */
const scarceFrom = 0.9;

function Meter(props: {
  readonly name: string;
  readonly free: number | null;
  readonly total: number | null;
}) {
  const { name, free, total } = props;
  if (free === null || total === null || total <= 0) {
    return (
      <div class="meter">
        <span>{name}</span> <span>unknown</span>
      </div>
    );
  }
  const used = Math.min(1, Math.max(0, 1 - free / total));
  return (
    <div class="meter">
      <span>{name}</span>
      <span>
        {sizeText(free)} of {sizeText(total)} free
      </span>
      <div
        class={used >= scarceFrom ? "track scarce" : "track"}
        role="meter"
        aria-label={`${name} used`}
        aria-valuenow={Math.round(used * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div style={{ width: `${used * 100}%` }} />
      </div>
    </div>
  );
}

/** Jobs shown on the overview. */
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
