/** Local time as `YYYY-MM-DD_HH_MM_SS`, for file names. */
export function timeStamp(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return [date, two(time.getHours()), two(time.getMinutes()), two(time.getSeconds())].join("_");
}
