/** One instance: where it is, its disks, NICs and parameters, and start and stop. */
import { linkTo } from "../address.js";
import { useLive } from "../api/live.js";
import { ask } from "../api/server.js";
import type { Me } from "../api/shapes.js";
import { Notice } from "../parts/notice.js";
import { Status } from "../parts/status.js";
import { sizeText } from "../words.js";
import { BulkActions } from "./bulk-actions.js";

type Parameters = Readonly<Record<string, unknown>>;

/** Keys of Ganeti's instance object; lists have an entry for each disk or NIC. */
interface Instance {
  readonly name: string;
  readonly status: string;
  readonly os: string;
  readonly pnode: string;
  readonly snodes: readonly string[];
  readonly disk_template: string;
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
}

export function InstancePage({ name, me }: { readonly name: string; readonly me: Me }) {
  const { value, problem } = useLive(`instance ${name}`, ["config", "job"], () =>
    ask<Instance>("GET", `/2/instances/${encodeURIComponent(name)}`),
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
      <div class="heading">
        <h1>{value.name}</h1>
        <Status of={value.status} />
      </div>
      {problem && <Notice kind="warning">{problem}</Notice>}
      <BulkActions names={[value.name]} me={me} />
      <p>
        <a class="button" href={linkTo(["instances", value.name, "console"])}>
          Console
        </a>
      </p>
      <dl class="card facts">
        <Fact title="Primary node">{value.pnode}</Fact>
        <Fact title="Secondary nodes">{value.snodes.join(", ") || "none"}</Fact>
        <Fact title="Operating system">{value.os}</Fact>
        <Fact title="Disk template">{value.disk_template}</Fact>
        <Fact title="Tags">{value.tags.join(", ") || "none"}</Fact>
      </dl>
      <Disks of={value} />
      <Nics of={value} />
      <ParameterTable
        title="Back-end parameters"
        all={value.beparams}
        own={value.custom_beparams}
      />
      <ParameterTable
        title="Hypervisor parameters"
        all={value.hvparams}
        own={value.custom_hvparams}
      />
    </>
  );
}

const Fact = ({ title, children }: { readonly title: string; readonly children: string }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

const Disks = ({ of }: { readonly of: Instance }) => (
  <Table
    title="Disks"
    heads={["Disk", "Size"]}
    rows={of["disk.sizes"].map((size, at) => [String(at), sizeText(size)])}
  />
);

const Nics = ({ of }: { readonly of: Instance }) => (
  <Table
    title="Network interfaces"
    heads={["NIC", "MAC", "IP", "Mode", "Link"]}
    rows={of["nic.macs"].map((mac, at) => [
      String(at),
      mac,
      of["nic.ips"][at] ?? "–",
      of["nic.modes"][at] ?? "–",
      of["nic.links"][at] ?? "–",
    ])}
  />
);

function ParameterTable(props: {
  readonly title: string;
  readonly all: Parameters;
  readonly own: Parameters;
}) {
  const rows = Object.entries(props.all).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
    name in props.own ? "the instance's own" : "from the cluster",
  ]);
  return <Table title={props.title} heads={["Parameter", "Value", "Set"]} rows={rows} />;
}

function Table(props: {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}) {
  return (
    <section class="card" aria-label={props.title}>
      <h2>{props.title}</h2>
      {props.rows.length === 0 ? (
        <p>None.</p>
      ) : (
        <div class="scrolled">
          <table>
            <thead>
              <tr>
                {props.heads.map((head) => (
                  <th scope="col">{head}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {props.rows.map((row) => (
                <tr key={row[0]}>
                  {row.map((cell) => (
                    <td>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
