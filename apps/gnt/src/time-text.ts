/** Times as Ganeti prints them, in the local time zone. */

const two = (number: number) => String(number).padStart(2, "0");

/** `2026-11-20 21:27:11`, with microseconds if given. */
export function timeText(seconds: number, micros?: number): string {
  const date = new Date(Math.floor(seconds) * 1000);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day} ${time}${micros === undefined ? "" : `.${String(micros).padStart(6, "0")}`}`;
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = [
  ...["Jan", "Feb", "Mar", "Apr", "May", "Jun"],
  ...["Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
];

/** As C's `ctime`: `Fri Nov 20 21:00:00 2026`. */
export function ctimeText(seconds: number): string {
  const date = new Date(Math.floor(seconds) * 1000);
  const day = String(date.getDate()).padStart(2);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${weekdays[date.getDay()]} ${months[date.getMonth()]} ${day} ${time} ${date.getFullYear()}`;
}
