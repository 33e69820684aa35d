/** The virtual clock, with a count of the timers that are set. */
import { VirtualClock } from "@ganeti-ts/testkit";

export class CountingClock extends VirtualClock {
  timerCount = 0;

  override after(delayMs: number, then: () => void): () => void {
    this.timerCount++;
    let isSet = true;
    const ends = () => {
      if (isSet) this.timerCount--;
      isSet = false;
    };
    const cancel = super.after(delayMs, () => {
      ends();
      then();
    });
    return () => {
      ends();
      cancel();
    };
  }
}
