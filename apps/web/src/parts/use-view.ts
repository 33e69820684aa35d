/** useView: hook for scrolled boxes that render only the visible part. */
import { useEffect, useRef, useState } from "preact/hooks";

/** In pixels. */
interface View {
  readonly top: number;
  readonly height: number;
}

/** The visible part of a scrolled box; `height` is assumed until the box has been measured. */
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
