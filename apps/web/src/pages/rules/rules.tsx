/** Page of the filter rules in the order of their evaluation: the effect of each, and the number of jobs that it holds or counts. */
import { useRef, useState } from "preact/hooks";
import { linkTo } from "../../address.js";
import { useLive } from "../../api/live.js";
import type { Me, PageProps } from "../../api/shapes.js";
import { Action, withoutRight } from "../../parts/action.js";
import { Confirm } from "../../parts/confirm.js";
import { Gauge } from "../../parts/gauge.js";
import { Notice, PageHeading, Unread } from "../../parts/notice.js";
import { EditorPage } from "./editor.js";
import { moved } from "./moved.js";
import { readRules, removeRule, storeRule } from "./requests.js";
import { bodyOf, type Effects, givenReasons, type Rule, whyOf } from "./rule.js";
import { ruleText, usesWatermark } from "./sentence.js";
import "../../styles/rules.css";

export default function RulesPage({ name, me }: PageProps) {
  const loaded = useLive("rules", ["rules", "job"], readRules);
  const { value, problem, reload } = loaded;
  if (value === undefined) return <Unread problem={problem} />;
  if (name !== "") {
    const rule = value.rules.find(({ uuid }) => uuid === name);
    if (rule === undefined && name !== "new") {
      return (
        <Notice kind="error">
          There is no filter rule {name}: it may have been removed.{" "}
          <a href={linkTo(["rules"])}>All rules</a>
        </Notice>
      );
    }
    return <EditorPage key={name} rule={rule} last={value.rules.at(-1)} me={me} />;
  }
  return (
    <>
      <PageHeading
        title="Filter rules"
        says="The first rule that catches a job decides; jobs that none catches start."
        problem={problem}
      >
        <span class="grow" />
        <Action
          kind="strong"
          off={withoutRight(me)}
          onClick={() => {
            location.hash = linkTo(["rules", "new"]);
          }}
        >
          Add a rule
        </Action>
      </PageHeading>
      <Limits effects={value.effects} />
      {value.rules.length === 0 ? (
        <p class="card empty">There are no filter rules: every job may start.</p>
      ) : (
        <Chain rules={value.rules} effects={value.effects} me={me} onChange={reload} />
      )}
    </>
  );
}

/** Limits that are not rules: that of the queue, and those set by reason texts. */
function Limits({ effects }: { readonly effects: Effects }) {
  const { limit, running, queued, buckets } = effects;
  return (
    <section class="card" aria-label="Limits">
      <div class="gauges">
        <Gauge title="Whole queue" used={running} limit={limit} note={`${queued} queued`} />
        {buckets.map((bucket) => (
          <Gauge
            key={bucket.text}
            title={bucket.text}
            used={bucket.running}
            limit={bucket.limit}
            note={`${bucket.queued} queued`}
          />
        ))}
      </div>
    </section>
  );
}

interface Asked {
  readonly question: string;
  readonly action: string;
  readonly run: () => unknown;
}

/** Hook: changes of the rules, one at a time, and the outcome of the last one. */
function useChain(rules: readonly Rule[], off: string | undefined, onChange: () => void) {
  const [said, setSaid] = useState<{ text: string; isProblem?: boolean }>({ text: "" });
  const [asked, setAsked] = useState<Asked>();
  const [isBusy, setBusy] = useState(false);
  const run = async (change: () => Promise<unknown>, done: string) => {
    setBusy(true);
    try {
      await change();
      setSaid({ text: done });
    } catch (error) {
      setSaid({ text: (error as Error).message, isProblem: true });
    }
    setBusy(false);
    onChange();
  };
  const move = (from: number, to: number) => {
    const stored = moved(rules, from, to);
    if (off !== undefined || isBusy || to < 0 || to >= rules.length || stored.length === 0) return;
    const change = () =>
      run(
        async () => {
          for (const one of stored) await storeRule(one.uuid, bodyOf(one, givenReasons(one)));
        },
        `The rule is now number ${to + 1} of ${rules.length}.`,
      );
    if (stored.some(usesWatermark)) {
      setAsked({ question: watermarkQuestion, action: "Move it", run: change });
    } else void change();
  };
  const remove = (rule: Rule) =>
    setAsked({
      question: `Remove this rule? “${ruleText(rule)}”`,
      action: "Remove",
      run: () => run(() => removeRule(rule.uuid), "The rule is removed."),
    });
  const answer = (isYes: boolean) => {
    setAsked(undefined);
    if (isYes) void asked?.run();
  };
  return { said, asked, answer, move, remove, off: off ?? (isBusy ? busyText : undefined) };
}

const busyText = "A change is on its way";
const watermarkQuestion =
  "A rule that has to be stored again for this catches jobs later than itself: afterwards that means jobs submitted from now on. Move it?";

function Chain(props: {
  readonly rules: readonly Rule[];
  readonly effects: Effects;
  readonly me: Me;
  readonly onChange: () => void;
}) {
  const { rules, effects, me, onChange } = props;
  const chain = useChain(rules, withoutRight(me), onChange);
  const { said, asked } = chain;
  const [over, setOver] = useState<number>();
  const dragged = useRef<number>(undefined);
  return (
    <>
      <div role="status">
        {said.text && <Notice kind={said.isProblem ? "error" : "done"}>{said.text}</Notice>}
      </div>
      <ol class="chain" aria-label="Rules in the order of their evaluation">
        {rules.map((rule, at) => (
          <li
            key={rule.uuid}
            class={`card rule ${over === at ? "over" : ""}`}
            draggable={chain.off === undefined}
            onDragStart={(event) => {
              dragged.current = at;
              event.dataTransfer?.setData("text/plain", rule.uuid);
            }}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(at);
            }}
            onDragEnd={() => setOver(undefined)}
            onDrop={(event) => {
              event.preventDefault();
              setOver(undefined);
              if (dragged.current !== undefined) chain.move(dragged.current, at);
              dragged.current = undefined;
            }}
            onKeyDown={(event) => {
              if (!event.altKey || !/^Arrow(?:Up|Down)$/.test(event.key)) return;
              event.preventDefault();
              chain.move(at, event.key === "ArrowUp" ? at - 1 : at + 1);
            }}
          >
            <RuleCard rule={rule} effects={effects} />
            <RuleButtons {...{ rule, at, me, chain }} count={rules.length} />
          </li>
        ))}
      </ol>
      <p class="small">
        Rules are moved by dragging, by the arrows, or with Alt and ↑ or ↓ on one of their buttons.
      </p>
      {asked && (
        <Confirm
          question={asked.question}
          action={asked.action}
          isDangerous={asked.action === "Remove"}
          onAnswer={(word) => chain.answer(word !== undefined)}
        />
      )}
    </>
  );
}

function RuleButtons(props: {
  readonly rule: Rule;
  readonly at: number;
  readonly count: number;
  readonly me: Me;
  readonly chain: Pick<ReturnType<typeof useChain>, "off" | "move" | "remove">;
}) {
  const { rule, at, count, me, chain } = props;
  const { off, move, remove } = chain;
  return (
    <div class="buttons">
      <Action
        kind="quiet"
        label={`Move rule ${at + 1} up`}
        off={off ?? (at === 0 ? "It is the first one" : undefined)}
        onClick={() => move(at, at - 1)}
      >
        ↑
      </Action>
      <Action
        kind="quiet"
        label={`Move rule ${at + 1} down`}
        off={off ?? (at === count - 1 ? "It is the last one" : undefined)}
        onClick={() => move(at, at + 1)}
      >
        ↓
      </Action>
      <a
        class="button"
        href={linkTo(["rules", rule.uuid])}
        aria-label={`${me.rights.write ? "Edit" : "Show"} rule ${at + 1}`}
      >
        {me.rights.write ? "Edit" : "Show"}
      </a>
      <Action kind="danger" label={`Remove rule ${at + 1}`} off={off} onClick={() => remove(rule)}>
        Remove
      </Action>
    </div>
  );
}

function RuleCard({ rule, effects }: { readonly rule: Rule; readonly effects: Effects }) {
  const { running = 0, queued = 0 } = effects.rules[rule.uuid] ?? {};
  const { action, priority, watermark } = rule;
  const name = typeof action === "string" ? action : action[0];
  const why = whyOf(rule);
  return (
    <div class="grow rule-text">
      <div class="heading">
        <span class={`badge ${name.toLowerCase()}`}>{name}</span>
        <small>
          priority {priority} · watermark {watermark}
        </small>
      </div>
      <p>{ruleText(rule)}</p>
      {why && <p class="small">Why: {why}</p>}
      {typeof action === "string" ? (
        action !== "CONTINUE" && (
          <p class="small">
            {running + queued > 0 ? caught(running, queued) : "Catches no job now"}
          </p>
        )
      ) : (
        <Gauge title="Slots" used={running} limit={action[1]} note={`${queued} queued`} />
      )}
    </div>
  );
}

const caught = (running: number, queued: number): string =>
  [queued > 0 && `${queued} queued`, running > 0 && `${running} under way`]
    .filter(Boolean)
    .join(", ");
