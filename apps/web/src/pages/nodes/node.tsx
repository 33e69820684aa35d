/** One node: its resources with N+1, role, power, instances, storage, parameters, tags and jobs. */
import { linkTo } from "../../address.js";
import { type LiveEvent, useLive } from "../../api/live.js";
import { query } from "../../api/server.js";
import { hasEnded, type Me } from "../../api/shapes.js";
import { Facts } from "../../parts/facts.js";
import { History } from "../../parts/history.js";
import { Meter } from "../../parts/meter.js";
import { Notice } from "../../parts/notice.js";
import { ObjectActions } from "../../parts/object-actions.js";
import { type Parameters, ParameterTable } from "../../parts/parameter-table.js";
import { Role } from "../../parts/role.js";
import { Table } from "../../parts/table.js";
import { Tags } from "../../parts/tags.js";
import { sizeText, timeText } from "../../words.js";
import "../../styles/plans.css";
import { nodeActions } from "./node-actions.js";
import { type NodeLoad, nodeLoads, nodeOperations } from "./node-list.js";
import { Power } from "./power.js";
import { Storage } from "./storage.js";

/** Fields that the page queries. */
interface QueriedNode {
  readonly name: string;
  readonly role: string;
  readonly group: string | null;
  readonly pip: string | null;
  readonly sip: string | null;
  readonly ctotal: number | null;
  readonly csockets: number | null;
  readonly mtotal: number | null;
  readonly mfree: number | null;
  readonly mnode: number | null;
  readonly dtotal: number | null;
  readonly dfree: number | null;
  readonly bootid: string | null;
  readonly powered: boolean | null;
  readonly vm_capable: boolean | null;
  readonly master_capable: boolean | null;
  readonly pinst_list: readonly string[] | null;
  readonly sinst_list: readonly string[] | null;
  readonly ndparams: Parameters | null;
  readonly custom_ndparams: Parameters | null;
  readonly tags: readonly string[] | null;
  readonly ctime: number | null;
  readonly mtime: number | null;
}

const fields = [
  ...["name", "role", "group", "pip", "sip", "ctotal", "csockets", "mtotal", "mfree", "mnode"],
  ...["dtotal", "dfree", "bootid", "powered", "vm_capable", "master_capable", "pinst_list"],
  ...["sinst_list", "ndparams", "custom_ndparams", "tags", "ctime", "mtime"],
];

interface Shown {
  readonly node: QueriedNode | undefined;
  readonly load: NodeLoad | undefined;
}

async function readNode(name: string): Promise<Shown> {
  const [[node], loads] = await Promise.all([
    query<QueriedNode>("node", fields, ["==", "name", name]),
    nodeLoads(),
  ]);
  return { node, load: loads.find((one) => one.name === name) };
}

/** Whether an event affects the page. A job that ends may have changed figures, which are not part of the configuration. */
const concerns = (event: LiveEvent): boolean => event.topic !== "job" || hasEnded(event.status);

export default function NodePage({ name, me }: { readonly name: string; readonly me: Me }) {
  const { value, problem } = useLive(`node ${name}`, concerns, () => readNode(name));
  if (value?.node === undefined) {
    if (value === undefined && problem === undefined) return <p>Loading …</p>;
    return (
      <Notice kind="error">
        {problem ?? `There is no node ${name}: it may have been removed.`}{" "}
        <a href={linkTo(["nodes"])}>All nodes</a>
      </Notice>
    );
  }
  const { node, load } = value;
  return (
    <>
      <div class="heading">
        <h1>{node.name}</h1>
        <Role of={node.role} />
        {node.mtotal === null && node.role !== "O" && (
          <span class="status bad">does not answer</span>
        )}
      </div>
      {problem && <Notice kind="warning">{problem}</Notice>}
      <div class="actions">
        <a class="button strong" href={linkTo(["maintenance"], { nodes: node.name })}>
          Plan its maintenance
        </a>
        <ObjectActions actions={nodeActions} noun="node" names={[node.name]} me={me} />
      </div>
      <Resources node={node} load={load} />
      <NodeFacts node={node} />
      <Power name={node.name} powered={node.powered} me={me} />
      <Tags tags={node.tags ?? []} path={["nodes", node.name]} me={me} />
      <div class="pair">
        <Instances title="Primary instances" names={node.pinst_list ?? []} />
        <Instances title="Secondary instances" names={node.sinst_list ?? []} />
      </div>
      <Storage name={node.name} me={me} />
      <ParameterTable
        title="Node parameters"
        owner="node"
        all={node.ndparams ?? {}}
        own={node.custom_ndparams ?? {}}
      />
      <History name={node.name} operations={nodeOperations} />
    </>
  );
}

function Resources({ node, load }: Shown & { readonly node: QueriedNode }) {
  return (
    <section class="card" aria-label="Resources">
      <div class="resources">
        <Meter name="Memory" free={node.mfree} total={node.mtotal} />
        <Meter name="Disk" free={node.dfree} total={node.dtotal} />
        {load && (
          <Meter
            name="Virtual CPUs"
            free={load.vcpus_max - load.vcpus}
            total={load.vcpus_max}
            text={`${load.vcpus} of ${Math.floor(load.vcpus_max)} allowed`}
          />
        )}
      </div>
      {load && (
        <p>
          {load.offline ? (
            <span class="status calm">no N+1: it takes no instances</span>
          ) : (
            <span class={load.fails_n1 ? "status bad" : "status good"}>
              {load.fails_n1 ? "N+1 fails" : "N+1 holds"}
            </span>
          )}{" "}
          <span class="small">
            {sizeText(load.memory_reserved)} needed here if the worst of its peers fails,{" "}
            {sizeText(load.memory_free)} not allocated
          </span>
        </p>
      )}
    </section>
  );
}

function NodeFacts({ node }: { readonly node: QueriedNode }) {
  const seconds = (time: number | null) => (time === null ? null : ([time, 0] as const));
  const yesNo = (value: boolean | null) => (value === null ? "–" : value ? "yes" : "no");
  const facts = [
    ["Group", <a href={linkTo(["groups", node.group ?? ""])}>{node.group ?? "–"}</a>],
    ["Address", node.pip ?? "–"],
    ["Second address", node.sip ?? "–"],
    ["CPUs", `${node.ctotal ?? "–"}${node.csockets ? `, sockets: ${node.csockets}` : ""}`],
    ["Memory of its own system", sizeText(node.mnode)],
    ["Takes instances", yesNo(node.vm_capable)],
    ["May be master", yesNo(node.master_capable)],
    ["Boot", node.bootid ?? "–"],
    ["Added", timeText(seconds(node.ctime))],
    ["Changed", timeText(seconds(node.mtime))],
  ] as const;
  return <Facts facts={facts} />;
}

const Instances = (props: { readonly title: string; readonly names: readonly string[] }) => (
  <Table
    title={props.title}
    note={<p>{props.names.length}</p>}
    heads={["Name"]}
    rows={props.names.map((name) => [<a href={linkTo(["instances", name])}>{name}</a>])}
  />
);
