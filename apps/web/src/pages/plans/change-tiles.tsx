/** Nodes before and after a plan, as tiles with two bars for each resource. */
import type { NodeLoad } from "@ganeti-ts/rapi-client";
import { linkTo } from "../../address.js";
import { sizeText } from "../../words.js";

interface Change {
  readonly before: NodeLoad;
  readonly after: NodeLoad;
}

const hasChanged = ({ before, after }: Change): boolean =>
  before.memory_free !== after.memory_free ||
  before.disk_free !== after.disk_free ||
  before.pinst_cnt !== after.pinst_cnt ||
  before.sinst_cnt !== after.sinst_cnt ||
  before.fails_n1 !== after.fails_n1;

export function ChangeTiles(props: {
  readonly before: readonly NodeLoad[];
  readonly after: readonly NodeLoad[];
}) {
  const afterOf = new Map(props.after.map((load) => [load.name, load]));
  const changes = props.before
    .flatMap((before) => {
      const after = afterOf.get(before.name);
      return after === undefined ? [] : [{ before, after }];
    })
    .filter(hasChanged);
  const rest = props.before.length - changes.length;
  return (
    <section aria-label="Nodes before and after">
      <div class="heading">
        <h2>Before and after</h2>
        {rest > 0 && (
          <p>
            {rest} {rest === 1 ? "node does" : "nodes do"} not change
          </p>
        )}
      </div>
      <div class="tiles">
        {changes.map((change) => (
          <Tile key={change.before.name} {...change} />
        ))}
      </div>
    </section>
  );
}

function Tile({ before, after }: Change) {
  const used = (load: NodeLoad, kind: "memory" | "disk") =>
    load[`${kind}_total`] > 0 ? 1 - load[`${kind}_free`] / load[`${kind}_total`] : 0;
  return (
    <article class="card tile" aria-label={before.name}>
      <h3 title={before.name}>
        <a href={linkTo(["nodes", before.name])}>{before.name.split(".")[0]}</a>
      </h3>
      <Bars
        name="Memory"
        text={`${sizeText(before.memory_free)} → ${sizeText(after.memory_free)} free`}
        before={used(before, "memory")}
        after={used(after, "memory")}
      />
      <Bars
        name="Disk"
        text={`${sizeText(before.disk_free)} → ${sizeText(after.disk_free)} free`}
        before={used(before, "disk")}
        after={used(after, "disk")}
      />
      <p class="small">
        {before.pinst_cnt} → {after.pinst_cnt} primary · {before.sinst_cnt} → {after.sinst_cnt}{" "}
        secondary
      </p>
      {(before.fails_n1 || after.fails_n1) && (
        <p class={after.fails_n1 ? "status bad" : "status good"}>
          {!after.fails_n1
            ? "N+1 holds again"
            : before.fails_n1
              ? "N+1 still fails"
              : "N+1 fails then"}
        </p>
      )}
    </article>
  );
}

const percent = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * 100);

function Bars(props: {
  readonly name: string;
  readonly text: string;
  readonly before: number;
  readonly after: number;
}) {
  const { name, text, before, after } = props;
  return (
    <div class="meter">
      <span>{name}</span>
      <span>{text}</span>
      <div
        class="track twice"
        role="img"
        aria-label={`${name}: ${percent(before)} % used before, ${percent(after)} % after`}
      >
        <div class="before" style={{ width: `${percent(before)}%` }} />
        <div style={{ width: `${percent(after)}%` }} />
      </div>
    </div>
  );
}
