/**
 * What a fake server is and how it misbehaves. Plain JSON, so that a child process can be given it. An empty script is a
 * well-behaved server with the tool `echo`.
 */
export interface FakeServerScript {
  /**
   * Which revisions it speaks: `legacy` those that begin with `initialize` (2024-11-05 to 2025-11-25), `modern` 2026-07-28
   * alone. Default `both`.
   */
  readonly era?: FakeEra | undefined;
  /** Default: one tool, `echo`. */
  readonly tools?: readonly FakeTool[] | undefined;
  /** How each start goes, the first one first; the last one also stands for all later ones. Default: every start works. */
  readonly starts?: readonly FakeStart[] | undefined;
  /** How tools are listed. Default: all at once. */
  readonly pages?: FakePages | undefined;
  /** What it writes beside its messages. Over stdio only. Default: nothing. */
  readonly noise?: FakeNoise | undefined;
  /** What does not make it leave; both together take SIGKILL. Over stdio only. Default: none, either ends it. */
  readonly ignores?: readonly ('stdin-end' | 'SIGTERM')[] | undefined;
  /** A process of its own that holds the pipes open; `stubborn` ignores SIGTERM. Over stdio only. Default: none. */
  readonly grandchild?: 'plain' | 'stubborn' | undefined;
}

/** Which revisions of the protocol a fake server speaks. */
export type FakeEra = 'legacy' | 'modern' | 'both';

/** A tool of a fake server, as it is listed, and how it goes when it is called. */
export interface FakeTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema. Default: any object. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  /**
   * How each call of this tool goes, counted over restarts, the first one first; the last one also stands for all later
   * ones. Default: every call is an `echo`.
   */
  readonly answers?: readonly FakeAnswer[] | undefined;
}

/** How one start of a fake server goes. */
export type FakeStart =
  | 'works'
  /** Reads everything and answers nothing, ever. */
  | 'hangs'
  /** Ends before the handshake. In-process and over HTTP the connection breaks off. */
  | { readonly exit: number; readonly stderr?: string | undefined }
  /** Takes this long to answer the handshake, in milliseconds. */
  | { readonly handshakeDelayMs: number }
  /** Answers the handshake with this error. */
  | { readonly refusal: FakeError };

/** How one call of a tool goes. */
export type FakeAnswer =
  /** The call's arguments as JSON in one block of text. */
  | 'echo'
  /** No answer, ever. */
  | 'hang'
  /** Closes its stdout, goes on living and does not answer. Over stdio only. */
  | 'close-output'
  /** Answers HTTP 404 and knows no session from then on. Over HTTP only. */
  | 'forget-session'
  /** Dies with the call in its hands: exit code or signal. In-process and over HTTP the connection breaks off. */
  | { readonly exit: number | FakeSignal }
  | FakeReply;

/** What a fake server can be killed by. */
export type FakeSignal = 'SIGKILL' | 'SIGSEGV' | 'SIGABRT' | 'SIGTERM';

/** An answer. Of `text`, `result`, `error` and `sizeBytes` at most one; without any it is an `echo`. */
export interface FakeReply {
  readonly text?: string | undefined;
  /** The whole `result` of `tools/call`, such as `{ content: [], structuredContent: {} }`. */
  readonly result?: Readonly<Record<string, unknown>> | undefined;
  /** A JSON-RPC error in place of a result. */
  readonly error?: FakeError | undefined;
  /** A text of this many bytes, in one message. At most 256 MiB. */
  readonly sizeBytes?: number | undefined;
  /** Comes this long after the call, in milliseconds, unless that is cancelled. Default 0. */
  readonly afterMs?: number | undefined;
  /** Notices of progress that come first, spread over `afterMs`; none to who does not ask. At most 10 000. Default 0. */
  readonly progress?: number | undefined;
  /** Tools that there are from now on, until the server is started again. */
  readonly adds?: readonly FakeTool[] | undefined;
  /** Names of the tools that are gone from now on, until the server is started again. */
  readonly removes?: readonly string[] | undefined;
  /** How often the change is announced, before the answer. At most 10 000. Default 1 with `adds` or `removes`, else 0. */
  readonly announcements?: number | undefined;
}

/** A JSON-RPC error. */
export interface FakeError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** How a fake server lists its tools in pages. */
export interface FakePages {
  /** Tools on a page. */
  readonly size: number;
  /**
   * `plain`: the last page names no next one. `repeated`: every page names the same cursor. `endless`: empty pages follow
   * for ever. `empty-text`: the cursor of page 2 is the empty string, which is one like any other. Default `plain`.
   */
  readonly cursor?: 'plain' | 'repeated' | 'endless' | 'empty-text' | undefined;
  /** The page, from 1, that is answered with an error, this often after each start. Default: none; every time. */
  readonly failing?: { readonly page: number; readonly times?: number | undefined } | undefined;
}

/** What a fake server writes that is no message. */
export interface FakeNoise {
  /** `junk`: what is no message stands before every message, which comes in two halves. */
  readonly stdout?: 'junk' | undefined;
  /** Written before the handshake and again before each call is answered; nothing goes on until it is read. */
  readonly stderrBytes?: number | undefined;
}
