/** Forms for the operations of the simulator. */
import type { AllocationPolicy, DiskTemplate } from "@ganeti-ts/protocol";
import { Choice, Field, Form } from "./field.js";
import type { ClusterState } from "./figures.js";
import type { Operation } from "./operations.js";

type Options = readonly (readonly [value: string, text: string])[];

const templates: Options = [
  ["drbd", "drbd: mirrored"],
  ["plain", "plain: on one node"],
  ["ext", "ext: shared storage"],
  ["diskless", "diskless"],
];
const policies: Options = [
  ["preferred", "preferred"],
  ["last_resort", "last resort"],
  ["unallocable", "unallocable"],
];
const balanced: Options = [
  ["all", "all that gain"],
  ["offline", "those on offline nodes"],
];
const events: Options = [
  ["fail", "it fails"],
  ["return", "it returns"],
  ["evacuate", "evacuate it"],
];
const movedBefore: Options = [
  ["unmirrored", "move instances without a mirror"],
  ["all", "move all instances"],
];

interface ToolProps {
  readonly state: ClusterState;
  readonly isBusy: boolean;
  readonly onRun: (operation: Operation) => void;
}

/** All operations on the cluster shown on the right. */
export function Toolbox(props: ToolProps) {
  const groups: Options = props.state.groups.map(({ name }) => [name, name]);
  const isWide = matchMedia("(min-width: 761px)").matches;
  return (
    <div class="tools-grid">
      <details class="card" open>
        <summary>Add instances</summary>
        <AddInstances {...props} groups={groups} />
      </details>
      <details class="card" open={isWide}>
        <summary>Balance</summary>
        <Balance {...props} groups={groups} />
      </details>
      <details class="card" open={isWide}>
        <summary>Nodes</summary>
        <Nodes {...props} />
      </details>
      <details class="card" open={isWide}>
        <summary>Questions</summary>
        <Questions {...props} />
      </details>
      <details class="card">
        <summary>Limits of a group</summary>
        <Limits {...props} groups={groups} />
      </details>
    </div>
  );
}

type GroupedProps = ToolProps & { readonly groups: Options };

function AddInstances({ isBusy, onRun, groups }: GroupedProps) {
  return (
    <Form
      action="Place them"
      disabled={isBusy}
      onSubmit={(values) =>
        onRun({
          kind: "add-instances",
          prefix: values.prefix ?? "",
          count: Number(values.count),
          memoryMib: Math.round(Number(values.memory) * 1024),
          diskMib: Math.round(Number(values.disk) * 1024),
          vcpus: Number(values.vcpus),
          diskTemplate: values.template as DiskTemplate,
          group: values.group || undefined,
        })
      }
    >
      <Field label="Number" name="count" value={10} min={1} />
      <Field label="Memory (GiB)" name="memory" value={4} min={0} step="any" />
      <Field label="Disk (GiB)" name="disk" value={20} min={0} step="any" />
      <Field label="vcpus" name="vcpus" value={2} min={0} />
      <Choice label="Storage" name="template" options={templates} />
      <Choice label="Group" name="group" options={[["", "any"], ...groups]} />
      <Field label="Name" name="prefix" value="new" />
    </Form>
  );
}

function Balance({ isBusy, onRun, groups }: GroupedProps) {
  return (
    <Form
      action="Balance"
      disabled={isBusy}
      onSubmit={({ group = "", what }) =>
        onRun({ kind: "balance", group, evacuationMode: what === "offline" })
      }
    >
      <Choice label="Group" name="group" options={groups} />
      <Choice label="Instances to move" name="what" options={balanced} />
    </Form>
  );
}

function Nodes({ state, isBusy, onRun }: ToolProps) {
  const nodes = state.groups.flatMap((group) => group.nodes);
  const names: Options = nodes.map(({ name, offline }) => [
    name,
    offline ? `${name} (down)` : name,
  ]);
  const act = (what: string, node: string): Operation =>
    what === "evacuate"
      ? { kind: "evacuate", node }
      : { kind: "set-offline", node, offline: what === "fail" };
  return (
    <>
      <Form
        action="Do it"
        disabled={isBusy}
        onSubmit={({ node = "", what = "" }) => onRun(act(what, node))}
      >
        <Choice label="Node" name="node" options={names} />
        <Choice label="Event" name="what" options={events} />
      </Form>
      <Form
        action="Add nodes"
        disabled={isBusy}
        onSubmit={({ like = "", count }) =>
          onRun({ kind: "add-nodes", like, count: Number(count) })
        }
      >
        <Field label="New nodes" name="count" value={1} min={1} />
        <Choice label="of the size of" name="like" options={names} />
      </Form>
    </>
  );
}

function Questions({ isBusy, onRun }: ToolProps) {
  return (
    <>
      <Form
        action="How many fit?"
        disabled={isBusy}
        onSubmit={({ template }) =>
          onRun({ kind: "capacity", diskTemplate: template as DiskTemplate })
        }
      >
        <Choice label="More instances on" name="template" options={templates} />
      </Form>
      <Form
        action="Plan reboots"
        disabled={isBusy}
        onSubmit={({ what }) => onRun({ kind: "reboots", fullEvacuation: what === "all" })}
      >
        <Choice label="Before each round" name="what" options={movedBefore} />
      </Form>
    </>
  );
}

const ratio = (text: string | undefined): number | undefined =>
  text === undefined || text === "" ? undefined : Number(text);

function Limits({ state, isBusy, onRun, groups }: GroupedProps) {
  const [first] = state.groups;
  return (
    <Form
      action="Set limits"
      disabled={isBusy}
      onSubmit={({ group = "", policy, vcpus, spindles }) =>
        onRun({
          ...{ kind: "limits", group, allocationPolicy: policy as AllocationPolicy },
          ...{ vcpuRatio: ratio(vcpus), spindleRatio: ratio(spindles) },
        })
      }
    >
      <Choice label="Group" name="group" options={groups} />
      <Choice label="New instances" name="policy" options={policies} />
      <Field label="vcpus per CPU" name="vcpus" step="any" value={first?.vcpuRatio ?? 4} />
      <Field
        label="Instances per spindle"
        name="spindles"
        step="any"
        value={first?.spindleRatio ?? 32}
      />
    </Form>
  );
}
