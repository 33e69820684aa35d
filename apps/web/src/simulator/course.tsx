/** The steps of a simulation with their reports, newest first. */
import type { Entry, History } from "./history.js";

/** Number of lines of a report that are shown initially. */
const linesShown = 12;

export function Course(props: {
  readonly history: History;
  readonly isBusy: boolean;
  readonly onReturn: (position: number) => void;
}) {
  const { history, isBusy, onReturn } = props;
  const last = history.entries.length - 1;
  return (
    <ol class="course" reversed>
      {history.entries
        .map((entry, at) => ({ entry, at }))
        .toReversed()
        .map(({ entry, at }) => (
          <li key={at} class="card">
            <div class="heading">
              <h3>{entry.label}</h3>
              <p>{entry.stage.report.title}</p>
              {at < last && (
                <button type="button" class="quiet" disabled={isBusy} onClick={() => onReturn(at)}>
                  Go back to here
                </button>
              )}
            </div>
            <ReportBody entry={entry} />
          </li>
        ))}
    </ol>
  );
}

function ReportBody({ entry }: { readonly entry: Entry }) {
  const { lines, scores, stopped } = entry.stage.report;
  return (
    <>
      {stopped && <p class="small">Stopped: complete up to the last step.</p>}
      {scores.length > 2 && <ScoreLine scores={scores} />}
      {lines.length > 0 && <pre>{lines.slice(0, linesShown).join("\n")}</pre>}
      {lines.length > linesShown && (
        <details>
          <summary>{lines.length - linesShown} more lines</summary>
          <pre>{lines.slice(linesShown).join("\n")}</pre>
        </details>
      )}
    </>
  );
}

/** Line chart of the score after each step. */
function ScoreLine({ scores }: { readonly scores: readonly number[] }) {
  const high = Math.max(...scores);
  const low = Math.min(...scores);
  const points = scores.map((score, at) => {
    const x = (at / (scores.length - 1)) * 100;
    const y = high === low ? 15 : 2 + ((high - score) / (high - low)) * 26;
    return `${x.toFixed(2)},${y.toFixed(2)}`;
  });
  return (
    <svg
      class="score-line"
      viewBox="0 0 100 30"
      preserveAspectRatio="none"
      role="img"
      aria-label={`Score from ${scores[0]?.toFixed(4)} to ${scores.at(-1)?.toFixed(4)} in ${scores.length - 1} moves`}
    >
      <polyline points={points.join(" ")} />
    </svg>
  );
}
