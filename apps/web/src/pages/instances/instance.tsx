/** Page of one instance: its nodes, disks, NICs, parameters, tags, jobs and actions. */
import { linkTo } from "../../address.js";
import { type LiveEvent, useLive } from "../../api/live.js";
import { ask } from "../../api/server.js";
import { hasEnded, type Me } from "../../api/shapes.js";
import { Action, withoutRight } from "../../parts/action.js";
import { Facts } from "../../parts/facts.js";
import { History } from "../../parts/history.js";
import { Notice, PageHeading } from "../../parts/notice.js";
import { ObjectActions } from "../../parts/object-actions.js";
import { type Parameters, ParameterTable } from "../../parts/parameter-table.js";
import { Status } from "../../parts/status.js";
import { Table } from "../../parts/table.js";
import { Tags } from "../../parts/tags.js";
import { useJob } from "../../parts/use-job.js";
import { secondsText, sizeText } from "../../words.js";
import { instanceActions, makeReal } from "./action-list.js";
import { Disks } from "./disks.js";

/** Keys of Ganeti's instance object; lists have an entry for each disk or NIC. */
export interface Instance {
  readonly uuid: string;
  readonly name: string;
  readonly status: string;
  readonly os: string;
  readonly pnode: string;
  readonly snodes: readonly string[];
  readonly disk_template: string;
  readonly forthcoming: boolean;
  readonly ctime: number | null;
  readonly mtime: number | null;
  readonly tags: readonly string[];
  readonly beparams: Parameters;
  readonly hvparams: Parameters;
  readonly custom_beparams: Parameters;
  readonly custom_hvparams: Parameters;
  readonly "disk.sizes": readonly number[];
  readonly "disk.names"?: readonly (string | null)[];
  readonly "nic.macs": readonly string[];
  readonly "nic.ips": readonly (string | null)[];
  readonly "nic.modes": readonly string[];
  readonly "nic.links": readonly (string | null)[];
  readonly "nic.networks.names"?: readonly (string | null)[];
}

/** Whether an event affects an instance: it or an object from which it inherits has changed, or a job about it has ended. */
function concerns(event: LiveEvent, name: string, instance: Instance | undefined): boolean {
  if (event.topic === "config") {
    return event.changes.some(
      ({ type, uuid }) => type !== "instance" || instance === undefined || uuid === instance.uuid,
    );
  }
  if (event.topic !== "job") return event.topic === "reset";
  return hasEnded(event.status) && event.summary.some((text) => text.includes(`(${name})`));
}

export function InstancePage({ name, me }: { readonly name: string; readonly me: Me }) {
  const { value, problem } = useLive<Instance>(
    `instance ${name}`,
    (event, instance) => concerns(event, name, instance),
    () => ask("GET", `/2/instances/${encodeURIComponent(name)}`),
  );
  if (value === undefined) {
    return problem ? (
      <Notice kind="error">
        {name}: {problem} <a href={linkTo(["instances"])}>All instances</a>
      </Notice>
    ) : (
      <p>Loading …</p>
    );
  }
  return (
    <>
      <PageHeading title={value.name} problem={problem}>
        <Status of={value.status} />
      </PageHeading>
      {value.forthcoming ? (
        <Reserved name={value.name} me={me} />
      ) : (
        <div class="actions">
          <a class="button strong" href={linkTo(["instances", value.name, "console"])}>
            Console
          </a>
          <ObjectActions actions={instanceActions} noun="instance" names={[value.name]} me={me} />
        </div>
      )}
      <InstanceFacts of={value} />
      <Tags tags={value.tags} path={["instances", value.name]} me={me} />
      <Disks of={value} />
      <Nics of={value} />
      <ParameterTable
        title="Back-end parameters"
        owner="instance"
        all={value.beparams}
        own={value.custom_beparams}
      />
      <ParameterTable
        title="Hypervisor parameters"
        owner="instance"
        all={value.hvparams}
        own={value.custom_hvparams}
      />
      <History name={value.name} operations={operations} />
    </>
  );
}

/** Operations on one instance, whose summaries end with its name. */
const operations = [
  ...["CREATE", "STARTUP", "SHUTDOWN", "REBOOT", "REINSTALL", "RENAME", "SET_PARAMS"],
  ...["MIGRATE", "FAILOVER", "MOVE", "CHANGE_GROUP", "REPLACE_DISKS", "RECREATE_DISKS"],
  ...["GROW_DISK", "ACTIVATE_DISKS", "DEACTIVATE_DISKS"],
].map((one) => `INSTANCE_${one}`);

function Reserved({ name, me }: { readonly name: string; readonly me: Me }) {
  const { outcome, submit } = useJob();
  const { job, problem } = outcome;
  return (
    <Notice kind="warning">
      Only its resources are reserved.{" "}
      <Action off={withoutRight(me)} onClick={() => void submit(() => makeReal(name))}>
        Make it real
      </Action>{" "}
      {job !== undefined && <a href={linkTo(["jobs", String(job)])}>Job {job}</a>}
      {problem}
    </Notice>
  );
}

function InstanceFacts({ of }: { readonly of: Instance }) {
  const filter = `pnode == "${of.pnode}"`;
  const memory = of.beparams.maxmem;
  const facts = [
    ["Primary node", <a href={linkTo(["instances"], { filter })}>{of.pnode}</a>],
    ["Secondary nodes", of.snodes.join(", ") || "none"],
    ["Operating system", of.os],
    ["Disk template", of.disk_template],
    ["Memory", typeof memory === "number" ? sizeText(memory) : "–"],
    ["Virtual CPUs", String(of.beparams.vcpus ?? "–")],
    ["Created", secondsText(of.ctime)],
    ["Changed", secondsText(of.mtime)],
  ] as const;
  return <Facts facts={facts} />;
}

const Nics = ({ of }: { readonly of: Instance }) => (
  <Table
    title="Network interfaces"
    heads={["NIC", "MAC", "IP", "Mode", "Link", "Network"]}
    rows={of["nic.macs"].map((mac, at) => [
      String(at),
      <code>{mac}</code>,
      of["nic.ips"][at] ?? "–",
      of["nic.modes"][at] ?? "–",
      of["nic.links"][at] ?? "–",
      of["nic.networks.names"]?.[at] ?? "–",
    ])}
  />
);
