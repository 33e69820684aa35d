/** Hook of boxes that keep only what is in view in the page. */
import { useEffect, useRef, useState } from "preact/hooks";

/** In pixels. */
interface View {
  readonly top: number;
  readonly height: number;
}

/** The part of a scrolled box that is in view; `height` is assumed until it has been measured. */
export function useView(height: number) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>({ top: 0, height });
  useEffect(() => {
    const element = box.current as HTMLDivElement;
    let frame = 0;
    const measure = () => {
      frame = 0;
      setView({ top: element.scrollTop, height: element.clientHeight });
    };
    const later = () => {
      if (frame === 0) frame = requestAnimationFrame(measure);
    };
    const observer = new ResizeObserver(later);
    observer.observe(element);
    element.addEventListener("scroll", later, { passive: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, []);
  return { box, view };
}
