/** One node: its resources with N+1, role, power, instances, storage, parameters, tags and jobs. */
import type { NodeLoad } from "@ganeti-ts/rapi-client";
import { linkTo } from "../../address.js";
import {
  flagsOrNull,
  listsOrNull,
  numbersOrNull,
  ofType,
  texts,
  textsOrNull,
} from "../../api/fields.js";
import { type LiveEvent, useLive } from "../../api/live.js";
import { query } from "../../api/server.js";
import { hasEnded, type Me } from "../../api/shapes.js";
import { Facts } from "../../parts/facts.js";
import { History } from "../../parts/history.js";
import { Meter } from "../../parts/meter.js";
import { Notice, PageHeading } from "../../parts/notice.js";
import { ObjectActions } from "../../parts/object-actions.js";
import { type Parameters, ParameterTable } from "../../parts/parameter-table.js";
import { Role } from "../../parts/role.js";
import { Table } from "../../parts/table.js";
import { Tags } from "../../parts/tags.js";
import { secondsText, sizeText, yesNo } from "../../words.js";
import "../../styles/plans.css";
import { nodeActions } from "./node-actions.js";
import { nodeLoads, nodeOperations } from "./node-list.js";
import { Power } from "./power.js";
import { Storage } from "./storage.js";

const fields = {
  ...texts("name", "role"),
  ...textsOrNull("group", "pip", "sip", "bootid"),
  ...numbersOrNull("ctotal", "csockets", "mtotal", "mfree", "mnode", "dtotal", "dfree"),
  ...numbersOrNull("ctime", "mtime"),
  ...flagsOrNull("powered", "vm_capable", "master_capable"),
  ...listsOrNull("pinst_list", "sinst_list", "tags"),
  ...ofType<Parameters | null>()("ndparams", "custom_ndparams"),
};
type QueriedNode = Readonly<typeof fields>;

interface Shown {
  readonly node: QueriedNode | undefined;
  readonly load: NodeLoad | undefined;
}

async function readNode(name: string): Promise<Shown> {
  const [[node], loads] = await Promise.all([
    query("node", fields, ["==", "name", name]),
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
      <PageHeading title={node.name} problem={problem}>
        <Role of={node.role} />
        {node.mtotal === null && node.role !== "O" && (
          <span class="status bad">does not answer</span>
        )}
      </PageHeading>
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
  const facts = [
    ["Group", <a href={linkTo(["groups", node.group ?? ""])}>{node.group ?? "–"}</a>],
    ["Address", node.pip ?? "–"],
    ["Second address", node.sip ?? "–"],
    ["CPUs", `${node.ctotal ?? "–"}${node.csockets ? `, sockets: ${node.csockets}` : ""}`],
    ["Memory of its own system", sizeText(node.mnode)],
    ["Takes instances", yesNo(node.vm_capable)],
    ["May be master", yesNo(node.master_capable)],
    ["Boot", node.bootid ?? "–"],
    ["Added", secondsText(node.ctime)],
    ["Changed", secondsText(node.mtime)],
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
