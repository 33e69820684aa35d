// Types of `cpu-profile.js`, for tests.
export interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber: number;
}
export interface Profile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}
export interface Place {
  name: string;
  area: string;
  where: string;
}
export interface Frame extends Place {
  selfMicros: number;
  totalMicros: number;
  children: Frame[];
}
export function framesOf(profile: Profile, named: (frame: CallFrame) => Place): Frame;
export function sharesOf(
  root: Frame,
  nameOf: (frame: Frame) => string,
): { name: string; self: number; total: number }[];
export function flameGraph(root: Frame, minPercent: number): string;
export function frameNames(): (frame: CallFrame) => Place;
