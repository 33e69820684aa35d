/** A serial console: a terminal that draws only the lines that change. */
import { useEffect, useRef } from "preact/hooks";
import { type Cell, cssColour, type Style } from "./cells.js";
import { Emulator } from "./emulator.js";
import { isLeavingKey, sequenceOf } from "./keys.js";
import { socketOf, type ViewProps } from "./socket.js";

const columns = 80;
const rows = 24;

export default function TerminalView({ granted, label, onLeave, onEnd }: ViewProps) {
  const screen = useRef<HTMLPreElement>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const socket = socketOf(granted);
    const send = (text: string) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(new TextEncoder().encode(text));
    };
    const terminal = new Emulator(columns, rows, send);
    const draw = drawingOn(screen.current as HTMLPreElement, terminal);
    const decoder = new TextDecoder();
    const show = ({ data }: MessageEvent<ArrayBuffer>) => {
      terminal.write(decoder.decode(data, { stream: true }));
      draw();
    };
    const field = input.current as HTMLTextAreaElement;
    const press = (event: KeyboardEvent) => {
      if (isLeavingKey(event)) {
        event.preventDefault();
        onLeave();
        return;
      }
      // Composed text arrives as an input event.
      const sequence = event.isComposing
        ? undefined
        : sequenceOf(event, terminal.areKeysApplication);
      if (sequence === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      send(sequence);
    };
    const type = (event: Event) => {
      if ((event as InputEvent).isComposing) return;
      send(field.value.replaceAll("\n", "\r"));
      field.value = "";
    };
    socket.addEventListener("message", show);
    field.addEventListener("keydown", press);
    field.addEventListener("input", type);
    field.addEventListener("compositionend", type);
    field.focus();
    draw();
    socket.addEventListener("close", onEnd);
    return () => {
      socket.removeEventListener("close", onEnd);
      socket.close();
    };
  }, [granted]);
  const focus = () => {
    // Keep a selection, so that it can be copied.
    if (getSelection()?.isCollapsed ?? true) input.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a click only moves the focus to the field
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys reach the field without it
    <div class="terminal" onClick={focus}>
      <textarea
        ref={input}
        aria-label={`${label}: what you type is sent to it; Ctrl-Alt-O leaves it`}
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        rows={1}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by the keyboard too */}
      <pre ref={screen} role="log" aria-label={label} aria-live="off" tabIndex={0} />
    </div>
  );
}

/** Draws what has changed with the next frame. */
function drawingOn(box: HTMLPreElement, terminal: Emulator): () => void {
  const history = document.createElement("div");
  const lines = Array.from({ length: terminal.rows }, () => document.createElement("div"));
  box.replaceChildren(history, ...lines);
  let kept = 0;
  let isDue = false;
  const draw = () => {
    isDue = false;
    const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 8;
    if (terminal.history.length !== kept) {
      // A full history drops its oldest lines, so its length does not show how many lines were added.
      const added = terminal.history.slice(kept).map((line) => lineElement(line));
      if (terminal.history.length < kept) history.replaceChildren();
      history.append(...(terminal.history.length < kept ? [] : added));
      kept = terminal.history.length;
    }
    const { cursor } = terminal;
    for (const row of terminal.takeChanged()) {
      const at = cursor?.y === row ? cursor.x : undefined;
      lines[row]?.replaceChildren(...partsOf(terminal.line(row), at));
    }
    if (isAtEnd) box.scrollTop = box.scrollHeight;
  };
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(draw);
  };
}

function lineElement(line: readonly Cell[]): HTMLDivElement {
  const element = document.createElement("div");
  element.replaceChildren(...partsOf(line, undefined));
  return element;
}

/** One element for each run of characters with the same style. */
function partsOf(line: readonly Cell[], cursor: number | undefined): Node[] {
  const parts: Node[] = [];
  for (let at = 0; at < line.length; ) {
    const { style } = line[at] as Cell;
    let end = at + 1;
    const isCursor = at === cursor;
    while (end < line.length && !isCursor && end !== cursor && line[end]?.style === style) end++;
    const text = line
      .slice(at, end)
      .map((cell) => cell.text)
      .join("");
    parts.push(partOf(text, style, isCursor));
    at = end;
  }
  return parts;
}

function partOf(text: string, style: Style, isCursor: boolean): Node {
  const { ink, ground, isBold, isUnderlined, isReverse } = style;
  const isPlain = ink === undefined && ground === undefined;
  if (isPlain && !isBold && !isUnderlined && !isReverse && !isCursor) return new Text(text);
  const part = document.createElement("span");
  part.textContent = text;
  part.classList.toggle("bold", isBold);
  part.classList.toggle("underlined", isUnderlined);
  part.classList.toggle("reverse", isReverse !== isCursor);
  if (ink !== undefined) part.style.setProperty("--ink", cssColour(ink));
  if (ground !== undefined) part.style.setProperty("--ground-of", cssColour(ground));
  return part;
}
