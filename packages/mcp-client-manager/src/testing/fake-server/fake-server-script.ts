/** Behaviour of a fake server, as plain JSON. An empty script is a well-behaved server with the tool `echo`. */
export interface FakeServerScript {
  /**
   * Path of a file of `mcpx record`, whose server is played at each start. Cannot be combined with other keys. Default:
   * none.
   */
  readonly recording?: string | undefined;
  /** `legacy`: revisions with `initialize` (2024-11-05 to 2025-11-25). `modern`: 2026-07-28 alone. Default `both`. */
  readonly era?: FakeEra | undefined;
  /** Default: one tool, `echo`. */
  readonly tools?: readonly FakeTool[] | undefined;
  /** Each start in order; the last one repeats. Default: every start works. */
  readonly starts?: readonly FakeStart[] | undefined;
  /** Pages of the tool list. Default: one page. */
  readonly pages?: FakePages | undefined;
  /** Output beside messages. Over stdio only. Default: none. */
  readonly noise?: FakeNoise | undefined;
  /** Ignored requests to stop; with both, only SIGKILL ends it. Over stdio only. Default: none. */
  readonly ignores?: readonly ('stdin-end' | 'SIGTERM')[] | undefined;
  /** A child process that keeps the pipes open; `stubborn` ignores SIGTERM. Over stdio only. Default: none. */
  readonly grandchild?: 'plain' | 'stubborn' | undefined;
}

/** Protocol revisions of a fake server. */
export type FakeEra = 'legacy' | 'modern' | 'both';

/** A tool of a fake server. */
export interface FakeTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema. Default: any object. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  /** Answers to the calls in order, counted over restarts; the last one repeats. Default: `echo`. */
  readonly answers?: readonly FakeAnswer[] | undefined;
}

/** Behaviour of one start of a fake server. */
export type FakeStart =
  | 'works'
  /** Reads everything and never responds. */
  | 'hangs'
  /** Exits before the handshake. In-process and over HTTP the connection breaks off. */
  | { readonly exit: number; readonly stderr?: string | undefined }
  /** Delay of the handshake, in milliseconds. */
  | { readonly handshakeDelayMs: number }
  /** Answers the handshake with this error. */
  | { readonly refusal: FakeError };

/** Outcome of one tool call. */
export type FakeAnswer =
  /** Returns the arguments as JSON in one text block. */
  | 'echo'
  /** Never responds. */
  | 'hang'
  /** Closes its stdout and keeps running. Over stdio only. */
  | 'close-output'
  /** Answers HTTP 404 and forgets its sessions. Over HTTP only. */
  | 'forget-session'
  /** Exits during the call. In-process and over HTTP the connection breaks off. */
  | { readonly exit: number | FakeSignal }
  | FakeReply;

/** Signals that can end a fake server. */
export type FakeSignal = 'SIGKILL' | 'SIGSEGV' | 'SIGABRT' | 'SIGTERM';

/** A response. At most one of `text`, `result`, `error` and `sizeBytes`; without any it is an `echo`. */
export interface FakeReply {
  readonly text?: string | undefined;
  /** The `result` of `tools/call`, such as `{ content: [], structuredContent: {} }`. */
  readonly result?: Readonly<Record<string, unknown>> | undefined;
  /** A JSON-RPC error instead of a result. */
  readonly error?: FakeError | undefined;
  /** A text of this many bytes. At most 256 MiB. */
  readonly sizeBytes?: number | undefined;
  /** Delay in milliseconds, unless the call is cancelled. Default 0. */
  readonly afterMs?: number | undefined;
  /**
   * Progress notifications before the response, spread over `afterMs`, if the caller requests progress. At most 10 000.
   * Default 0.
   */
  readonly progress?: number | undefined;
  /** Tools to add until the next start. */
  readonly adds?: readonly FakeTool[] | undefined;
  /** Names of tools to remove until the next start. */
  readonly removes?: readonly string[] | undefined;
  /** `list_changed` notifications before the response. At most 10 000. Default 1 with `adds` or `removes`, else 0. */
  readonly announcements?: number | undefined;
}

/** A JSON-RPC error. */
export interface FakeError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Paging of the tool list. */
export interface FakePages {
  /** Tools per page. */
  readonly size: number;
  /**
   * `plain`: the last page has no cursor. `repeated`: every page has the same cursor. `endless`: empty pages follow
   * forever. `empty-text`: the cursor of page 2 is an empty string. Default `plain`.
   */
  readonly cursor?: 'plain' | 'repeated' | 'endless' | 'empty-text' | undefined;
  /** A page, from 1, that fails this many times after each start. Default: none; every time. */
  readonly failing?: { readonly page: number; readonly times?: number | undefined } | undefined;
}

/** Output of a fake server that is no message. */
export interface FakeNoise {
  /** `junk`: invalid lines before every message, and each message in two chunks. */
  readonly stdout?: 'junk' | undefined;
  /** Bytes on stderr before the handshake and each response; the server blocks until they are read. */
  readonly stderrBytes?: number | undefined;
}
