/** A VNC console, drawn by noVNC. */
import RFB from "@novnc/novnc";
import { useEffect, useRef, useState } from "preact/hooks";
import { isLeavingKey } from "./keys.js";
import { socketOf, type ViewProps } from "./socket.js";

export default function ScreenView({ granted, label, onLeave, onEnd }: ViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const rfb = useRef<RFB>(undefined);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const element = box.current as HTMLDivElement;
    const socket = socketOf(granted);
    socket.addEventListener("close", onEnd);
    const client = new RFB(element, socket, { shared: true });
    client.scaleViewport = true;
    client.background = "transparent";
    rfb.current = client;
    client.addEventListener("connect", () => {
      setShown(true);
      client.focus();
    });
    // noVNC takes all keys of its picture, so this listener has to run before its own.
    const leave = (event: KeyboardEvent) => {
      if (!isLeavingKey(event)) return;
      event.preventDefault();
      event.stopPropagation();
      client.blur();
      onLeave();
    };
    element.addEventListener("keydown", leave, { capture: true });
    return () => {
      element.removeEventListener("keydown", leave, { capture: true });
      socket.removeEventListener("close", onEnd);
      client.disconnect();
    };
  }, [granted]);
  const paste = async () => {
    const text = await navigator.clipboard.readText();
    for (const character of text) rfb.current?.sendKey(keysymOf(character), null);
  };
  return (
    <>
      <div class="buttons">
        <button type="button" disabled={!isShown} onClick={() => rfb.current?.sendCtrlAltDel()}>
          Send Ctrl-Alt-Del
        </button>
        <button type="button" disabled={!isShown} onClick={() => void paste()}>
          Type the clipboard
        </button>
        <button type="button" onClick={() => void box.current?.requestFullscreen()}>
          Full screen
        </button>
      </div>
      <section class="vnc" ref={box} aria-label={label} />
    </>
  );
}

/** X11's keysym of a character: Latin-1 has its own codes, all others are Unicode. */
function keysymOf(character: string): number {
  if (character === "\n") return 0xff0d;
  const code = character.codePointAt(0) as number;
  return code < 0x100 ? code : 0x01000000 | code;
}
