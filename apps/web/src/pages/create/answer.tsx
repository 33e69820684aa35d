/** hail's answer in words and bars: the placement and its reasons, or why nothing fits and which changes would help. */
import type {
  Change,
  GroupAnswer,
  InstanceAnswer,
  Score,
  Suggestion,
} from "../../api/explanation.js";
import { ruleTexts } from "../../api/explanation.js";
import { Notice } from "../../parts/notice.js";
import { countMax, type LiveAnswer } from "./use-answer.js";

export function AnswerCard(props: {
  readonly live: LiveAnswer;
  /** Reason why the form is not a question yet. */
  readonly fault: string | undefined;
  readonly chosen: readonly string[];
  readonly onApply: (changes: readonly Change[]) => void;
}) {
  const { live, fault, chosen, onApply } = props;
  const { answer, problem } = live;
  return (
    <section
      class="card answer"
      aria-label="Answer of hail"
      aria-live="polite"
      aria-busy={live.isPending}
    >
      <h2>Where it would go</h2>
      {fault !== undefined ? (
        <p class="small">{fault}</p>
      ) : problem !== undefined ? (
        <Notice kind="error">{problem}</Notice>
      ) : answer === undefined ? (
        <p class="small">Asking hail …</p>
      ) : answer.to.length > 0 ? (
        <Fits answer={answer} live={live} chosen={chosen} />
      ) : (
        <FitsNot answer={answer} onApply={onApply} />
      )}
    </section>
  );
}

const shortName = (name: string): string => name.split(".")[0] ?? name;

function Fits({
  answer,
  live,
  chosen,
}: {
  readonly answer: InstanceAnswer;
  readonly live: LiveAnswer;
  readonly chosen: readonly string[];
}) {
  const { choice, to } = answer;
  const group = answer.groups.find((one) => one.group === choice?.group);
  return (
    <>
      <ol class="goes">
        {to.map((node, at) => (
          <li key={node} class={at === 0 ? "chip first" : "chip"} title={node}>
            <small>{at === 0 ? "primary" : "secondary"}</small>
            {shortName(node)}
          </li>
        ))}
        <li class="chip calm">
          <small>group</small>
          {choice?.group}
        </li>
      </ol>
      {chosen.length > 0 && chosen.join() !== to.join() && (
        <Notice kind="warning">
          You chose {chosen.map(shortName).join(" and ")} yourself; hail would not.
        </Notice>
      )}
      <Room live={live} />
      {choice && (
        <details open>
          <summary>Why there</summary>
          <p class="small">{choice.text}</p>
          <ScoreChange before={group?.field?.scoreBefore} after={choice.score} />
        </details>
      )}
      <Candidates groups={answer.groups} />
      <Refused groups={answer.groups} />
    </>
  );
}

function Room({ live: { capacity } }: { readonly live: LiveAnswer }) {
  if (capacity === undefined) return <p class="small">Counting how many more fit …</p>;
  const { count, figures } = capacity;
  const isMore = figures.stop === "limit" && count >= countMax;
  return (
    <p class="room">
      <strong>{isMore ? `more than ${countMax}` : count}</strong>{" "}
      {count === 1 && !isMore ? "such instance fits" : "such instances fit"} now
    </p>
  );
}

const numberOf = (figure: number | string | undefined): number =>
  typeof figure === "number" ? figure : Number.NaN;

/** Maximum number of terms shown of a score. */
const termsMax = 6;

function ScoreChange(props: {
  readonly before: Score | undefined;
  readonly after: Score | undefined;
}) {
  const { before, after } = props;
  if (before === undefined || after === undefined) return null;
  const changes = (Object.keys(after.terms) as (keyof Score["terms"])[])
    .map((term) => ({ term, by: numberOf(after.terms[term]) - numberOf(before.terms[term]) }))
    .filter(({ by }) => Math.abs(by) > 1e-9)
    .toSorted((a, b) => Math.abs(b.by) - Math.abs(a.by))
    .slice(0, termsMax);
  const most = Math.max(...changes.map(({ by }) => Math.abs(by)), 1e-9);
  return (
    <>
      <p class="small">
        Score of all nodes {numberOf(before.total).toFixed(4)} →{" "}
        <strong>{numberOf(after.total).toFixed(4)}</strong> (the lower, the better balanced)
      </p>
      <ul class="terms" aria-label="Terms of the score that change most">
        {changes.map(({ term, by }) => (
          <li key={term}>
            <code>{term}</code>
            <span class={by > 0 ? "bar worse" : "bar better"}>
              <i style={{ width: `${(Math.abs(by) / most) * 100}%` }} />
            </span>
            <span class="number">
              {by > 0 ? "+" : "−"}
              {Math.abs(by).toFixed(4)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Maximum number of candidates shown, of all groups together. */
const candidatesMax = 5;

function Candidates({ groups }: { readonly groups: readonly GroupAnswer[] }) {
  const all = groups
    .flatMap(({ group, field }) => (field?.candidates ?? []).map((one) => ({ ...one, group })))
    .toSorted((a, b) => numberOf(a.score?.total) - numberOf(b.score?.total));
  const count = groups.reduce((sum, { field }) => sum + (field?.feasible ?? 0), 0);
  if (all.length < 2) return null;
  return (
    <details>
      <summary>
        {count} places fit; the best {Math.min(candidatesMax, all.length)}
      </summary>
      <ol class="small candidates">
        {all.slice(0, candidatesMax).map(({ nodes, group, score }) => (
          <li key={nodes.join()}>
            {nodes.map(shortName).join(" / ")} <span>in {group}</span>
            <span class="number">{score && numberOf(score.total).toFixed(6)}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Refused candidates, counted by reason, with one example of each. */
function Refused({ groups, isOpen = false }: { groups: readonly GroupAnswer[]; isOpen?: boolean }) {
  const counts = new Map<string, number>();
  const examples = new Map<string, string>();
  for (const { field } of groups) {
    for (const [rule, count] of Object.entries(field?.refusedBy ?? {})) {
      counts.set(rule, (counts.get(rule) ?? 0) + count);
    }
    for (const { refusal } of field?.refusals ?? []) {
      if (!examples.has(refusal.rule)) examples.set(refusal.rule, refusal.text);
    }
  }
  const left = groups.flatMap(({ leftOut }) => leftOut);
  if (counts.size === 0 && left.length === 0) return null;
  const total = [...counts.values()].reduce((sum, one) => sum + one, 0);
  return (
    <details open={isOpen}>
      <summary>
        {total} places do not fit
        {left.length > 0 &&
          `, ${left.length} ${left.length === 1 ? "node is" : "nodes are"} left out`}
      </summary>
      <ul class="small refusals">
        {[...counts]
          .toSorted(([, a], [, b]) => b - a)
          .map(([rule, count]) => (
            <li key={rule}>
              <strong>
                {count} × {rule}
              </strong>
              : {ruleTexts[rule] ?? "refused"}
              {examples.has(rule) && <div>for example {examples.get(rule)}</div>}
            </li>
          ))}
        {left.map(({ node, reason }) => (
          <li key={node}>
            <strong>{shortName(node)}</strong>: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

function FitsNot(props: {
  readonly answer: InstanceAnswer;
  readonly onApply: (changes: readonly Change[]) => void;
}) {
  const { answer, onApply } = props;
  return (
    <>
      <Notice kind="error">It does not fit: {answer.reason ?? "no place takes it"}.</Notice>
      {answer.suggestions.length > 0 && (
        <section aria-label="Changes that would help">
          <h3>Smallest changes that would help</h3>
          <ul class="suggestions">
            {answer.suggestions.map((one) => (
              <SuggestionLine key={one.text} of={one} onApply={onApply} />
            ))}
          </ul>
          {!answer.suggestionsComplete && (
            <p class="small">The search ended at its time limit: there may be others.</p>
          )}
        </section>
      )}
      <ul class="small">
        {answer.groups
          .filter(({ reason }) => reason !== null)
          .map(({ group, reason }) => (
            <li key={group}>
              Group {group}: {reason}
            </li>
          ))}
      </ul>
      <Refused groups={answer.groups} isOpen />
    </>
  );
}

function SuggestionLine(props: {
  readonly of: Suggestion;
  readonly onApply: (changes: readonly Change[]) => void;
}) {
  const { of, onApply } = props;
  return (
    <li>
      <span class="grow">{of.text.replaceAll(" for planned", "")}</span>
      {of.changes.every(isOfForm) && (
        <button type="button" onClick={() => onApply(of.changes)}>
          Apply
        </button>
      )}
    </li>
  );
}

/** Changes of the instance itself, which the form can make. */
const isOfForm = ({ kind, resource }: Change): boolean =>
  (kind === "resize" && ["memory", "vcpus", "disk", "disks"].includes(resource ?? "")) ||
  kind === "remove-tag" ||
  kind === "drop-group-name";
