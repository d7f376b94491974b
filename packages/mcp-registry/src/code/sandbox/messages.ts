/** Limits of every program. */
export interface SandboxLimits {
  /** Milliseconds that the program may compute, without waits for tools. */
  readonly maxComputeMs: number;
  readonly maxMemoryBytes: number;
  readonly maxCalls: number;
  /** Of the returned value and the log, each. */
  readonly maxCharacters: number;
}

/** The engine, loaded once for all threads. */
export interface Engine {
  /** URL of the module of `quickjs-wasi`. */
  readonly url: string;
  /** Its compiled `WebAssembly.Module`. */
  readonly wasm: object;
}

/** Data of a thread. */
export interface SandboxData {
  readonly engine: Engine;
  /**
   * `[0]`: the time since when a program computes, in milliseconds since 1970; 0 while it waits. `[1]`: characters that
   * it logged.
   */
  readonly meter: Float64Array;
  readonly limits: SandboxLimits;
}

export type ToSandbox =
  | { readonly type: 'run'; readonly code: string }
  /** `json`: the value of the call, or the message of its failure as JSON. */
  | { readonly type: 'settle'; readonly id: number; readonly isOk: boolean; readonly json: string };

export type FromSandbox =
  | { readonly type: 'ready' }
  | { readonly type: 'call'; readonly id: number; readonly name: string; readonly json: string }
  | { readonly type: 'log'; readonly line: string }
  | { readonly type: 'end'; readonly end: ProgramEnd; readonly isReusable: boolean };

/** How a program ended. */
export type ProgramEnd =
  | { readonly kind: 'returned'; readonly text: string; readonly length: number }
  | { readonly kind: 'threw'; readonly message: string; readonly line?: number | undefined }
  /** It computed for too long. */
  | { readonly kind: 'computed' }
  /** It waits for a promise that no call settles. */
  | { readonly kind: 'stuck' };
