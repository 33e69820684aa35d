// Declarations of the functions of QuickJS (@suchipi/quickjs) that hail's executable calls. They throw if a system call fails.

declare module "quickjs:cmdline" {
  /** The program first. */
  export function getScriptArgs(): string[];
  export function exit(code: number): never;
}

declare module "quickjs:encoding" {
  export const TextDecoder: unknown;
  export const TextEncoder: new () => { encode(text: string): Uint8Array };
}

declare module "quickjs:std" {
  export const err: { puts(text: string): void };
}

declare module "quickjs:bytecode" {
  /** Bytecode of a script or module. */
  export function fromFile(
    path: string,
    options: { readonly encodedFileName: string; readonly strip: "debug" },
  ): ArrayBuffer;
}

declare module "quickjs:os" {
  export const O_RDONLY: number;
  export const O_WRONLY: number;
  export const O_CREAT: number;
  export const O_TRUNC: number;
  export const S_IFMT: number;
  export const S_IFREG: number;
  export const SIGCHLD: number;
  export const SIGINT: number;
  export const SIGPIPE: number;
  export const SIGTERM: number;
  export const WNOHANG: number;
  export function open(path: string, flags: number, mode?: number): number;
  /** Number of bytes. */
  export function read(fd: number, into: ArrayBuffer, offset: number, length: number): number;
  /** Number of bytes. */
  export function write(fd: number, from: ArrayBufferLike, offset: number, length: number): number;
  export function close(fd: number): void;
  export function stat(path: string): { readonly mode: number; readonly size: number };
  export function realpath(path: string): string;
  export function execPath(): string;
  export function getpid(): number;
  /** The process ID if it does not wait for the end. */
  export function exec(
    words: readonly string[],
    options: { readonly block: boolean; readonly usePath: boolean },
  ): number;
  /** The process that has ended, 0 if none has, and its status. */
  export function waitpid(pid: number, options: number): [number, number];
  export function WIFSIGNALED(status: number): boolean;
  export function WEXITSTATUS(status: number): number;
  export function WTERMSIG(status: number): number;
  export function kill(pid: number, signal: number): void;
  /** @param handle null restores the default, undefined ignores the signal */
  export function signal(signal: number, handle: (() => void) | null | undefined): void;
}
