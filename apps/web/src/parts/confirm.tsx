/** A question before a change, which may want a word. */
import { useEffect, useRef, useState } from "preact/hooks";

export function Confirm(props: {
  readonly question: string;
  readonly action: string;
  /** Label of the text that the user adds. */
  readonly wants?: string | undefined;
  /** Names of several objects that are changed. */
  readonly names?: readonly string[] | undefined;
  readonly isDangerous?: boolean | undefined;
  /** The text that the user has to type before a change that cannot be undone. */
  readonly typed?: string | undefined;
  /** The word, empty where none is wanted; undefined is no. */
  readonly onAnswer: (word: string | undefined) => void;
}) {
  const { question, action, wants, names = [], isDangerous, typed, onAnswer } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [word, setWord] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  // The close event comes in a later task, when the page may have been left: a yes does not wait for it.
  const closed = () => {
    if (dialog.current?.returnValue !== "yes") onAnswer(undefined);
  };
  return (
    <dialog ref={dialog} onClose={closed} aria-label={question}>
      <p>{question}</p>
      {names.length > 1 && (
        <ul class="names">
          {names.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
      <form method="dialog" onSubmit={() => onAnswer(word.trim())}>
        {wants && (
          <label class="field">
            {wants}
            <input value={word} required onInput={(event) => setWord(event.currentTarget.value)} />
          </label>
        )}
        {typed !== undefined && (
          <label class="field">
            Type {typed} to go on
            <input required autocomplete="off" pattern={literal(typed)} title={typed} />
          </label>
        )}
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Leave it
          </button>
          <button type="submit" value="yes" class={isDangerous ? "strong danger" : "strong"}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** A pattern that only this text matches. */
const literal = (text: string): string => text.replace(/[^\w]/g, (character) => `[${character}]`);
