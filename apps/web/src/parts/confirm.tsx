/** A question before a change, which may want a word. */
import { useEffect, useRef, useState } from "preact/hooks";

export function Confirm(props: {
  readonly question: string;
  readonly action: string;
  /** Label of the text that the user adds. */
  readonly wants?: string | undefined;
  /** The word, empty where none is wanted; undefined is no. */
  readonly onAnswer: (word: string | undefined) => void;
}) {
  const { question, action, wants, onAnswer } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [word, setWord] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => onAnswer(dialog.current?.returnValue === "yes" ? word.trim() : undefined);
  return (
    <dialog ref={dialog} onClose={close} aria-label={question}>
      <p>{question}</p>
      <form method="dialog">
        {wants && (
          <label class="field">
            {wants}
            <input value={word} required onInput={(event) => setWord(event.currentTarget.value)} />
          </label>
        )}
        <div class="buttons">
          <button type="submit" value="no" formNoValidate>
            Leave it
          </button>
          <button type="submit" value="yes" class="strong">
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
