/**
 * What should run. The manager owns this contract; an entry of `@x/mcp-config-schema`'s `config.servers` fits as it
 * stands. Only `name` and one of `command`, `url` or `server` are needed; everything else has a default.
 */
export type ServerSpec = StdioServerSpec | HttpServerSpec | InProcessServerSpec;

/** A server that is a child process and speaks newline-delimited JSON over its stdin and stdout. */
export interface StdioServerSpec extends ServerSpecBase {
  /** Program to run: a name to be found on PATH or a path. Never given to a shell. */
  readonly command: string;
  /** Arguments, passed on literally. Default none. */
  readonly args?: readonly string[] | undefined;
  /**
   * Added to the few variables that are inherited (`PATH`, `HOME`, `TMPDIR`, the user's name, shell and locale, and what
   * programs cannot do without on Windows); wins over those. Nothing else of the host's environment reaches the server.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Variables whose values are looked up when the server starts, with the manager's `resolveSecret`. Default none. */
  readonly secrets?: readonly SecretSpec[] | undefined;
  /** Working directory of the process. Default: the host's. */
  readonly cwd?: string | undefined;
  /**
   * Resident memory of the process and all that it started, in bytes, that is too much: the calls under way may finish,
   * then the server is ended and started again as after a failure. Looked at every `healthCheckIntervalMs`. Only Linux
   * tells; elsewhere nothing comes of it. Default: no limit. At least 16 777 216 (16 MiB).
   */
  readonly memoryLimitBytes?: number | undefined;
  /** Directory of the server's stderr log. An absolute path. Default: the manager's `logDirectory`. */
  readonly logDirectory?: string | undefined;
}

/** A server that is reached by URL over Streamable HTTP. */
export interface HttpServerSpec extends ServerSpecBase {
  readonly url: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Headers whose values are looked up when a connection opens, with the manager's `resolveSecret`. Default none. */
  readonly secrets?: readonly SecretSpec[] | undefined;
  /** Who signs requests in: a name that the manager's `auth` option knows. Default: whatever `auth` gives for the server. */
  readonly auth?: AuthReference | undefined;
}

/** A value that a spec only refers to. */
export interface SecretSpec {
  /** The variable or the header that gets the value. */
  readonly key: string;
  /** What `resolveSecret` receives, such as `keychain:github/ada`. */
  readonly reference: string;
  /** Passed to `resolveSecret`: the directory that the reference is relative to. */
  readonly root?: string | undefined;
}

/** Which sign-in a server wants; the manager's option `auth` provides it. */
export interface AuthReference {
  /** A sign-in that the host app offers under this name, such as `oauth`. */
  readonly provider: string;
  /** Empty or left out: whatever the server asks for. */
  readonly scopes?: readonly string[] | undefined;
}

/** A server object of either SDK generation that lives in this process. It is linked in memory; nothing is spawned. */
export interface InProcessServerSpec extends ServerSpecBase {
  /** Makes the server for one connection, or is that server. With a function, every restart gets a fresh one. */
  readonly server: InProcessServer | (() => InProcessServer | Promise<InProcessServer>);
}

/** What a `Server` or `McpServer` of `@modelcontextprotocol/sdk` 1.x and `@modelcontextprotocol/server` 2.x is. */
export interface InProcessServer {
  /** Starts to serve over the transport. */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK generation has a transport type of its own
  connect(transport: any): Promise<void>;
  /** Ends the connection. */
  close(): Promise<void>;
}

interface ServerSpecBase {
  /** Unique within one manager. */
  readonly name: string;
  /**
   * Whether a call may start the server. `true` (default): it starts when it is first wanted. `false`: only
   * `start()` starts it, and a call to it while it is stopped fails with `not-started`.
   */
  readonly autoStart?: boolean | undefined;
  /** Kept out of service: nothing starts it, its tools are not offered. Default `false`. */
  readonly disabled?: boolean | undefined;
  /**
   * Started with the manager and kept running: not stopped when idle, started again also after a clean exit. Default
   * `false`.
   */
  readonly eager?: boolean | undefined;
  /** Servers with a higher one start first and stop last. Default 0. */
  readonly priority?: number | undefined;
  /** From spawn to the end of the handshake, in milliseconds. Default 10 000, 1 000 to 60 000. */
  readonly startupTimeoutMs?: number | undefined;
  /**
   * Replaces `startupTimeoutMs` for a package runner (`npx`, `uvx`, `docker run` and the like) until this launch has
   * succeeded once, since it may have to download the server first. In milliseconds. Default 300 000, 1 000 to 3 600 000.
   */
  readonly firstRunTimeoutMs?: number | undefined;
  /** Stopped after this long without a call, in milliseconds; a call wakes it. Default: never. At least 1 000. */
  readonly idleStopMs?: number | undefined;
  /** Calls and other requests in flight at once; further ones wait. Default 16, 1 to 1 000. */
  readonly maxConcurrentCalls?: number | undefined;
  /** Calls that may wait for a turn; one more fails with `busy`. Default 64, 0 to 10 000. */
  readonly maxQueuedCalls?: number | undefined;
  /**
   * Longest wait of a call for its turn, in milliseconds, unless it names a time of its own; then it fails with `busy`.
   * Default 30 000, half of a call's whole time: what has its turn has as long again to be worked on. At least 1.
   */
  readonly queueTimeoutMs?: number | undefined;
  /**
   * Whose calls go over one connection, which is one process of a stdio server. `shared` (default): everybody's.
   * `per-caller`: a caller whose client can be asked (`sampling`, `elicitation` or `roots` among the capabilities of the
   * call's `host`) has one of its own, so that nobody else's calls keep a question from it. It starts with the caller's first
   * call, has the limits of this spec for itself, and is stopped after `idleStopMs` without a call, or five minutes. At most
   * 32; then a call of one more caller ends one that is not in use, or fails with `busy`.
   */
  readonly connections?: 'shared' | 'per-caller' | undefined;
  /** Tools that are listed; further ones are left out, and the server is `degraded`. Default 10 000, 1 to 100 000. */
  readonly maxTools?: number | undefined;
  /** The only tools that are offered, by their own names, with `*` for any text. Default: all of them. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Tools that are never offered, even if allowed. Default none. */
  readonly deniedTools?: readonly string[] | undefined;
  /**
   * Whether what the server says of its tools is believed. Only then may a call be repeated after a lost connection
   * because the tool calls itself read-only or idempotent. Default `false`.
   */
  readonly trusted?: boolean | undefined;
  /**
   * From SIGTERM until SIGKILL, in milliseconds. Default 5 000, 1 000 to 30 000. Before SIGTERM the server has 2 s to
   * leave by itself when its stdin is closed.
   */
  readonly shutdownTimeoutMs?: number | undefined;
  /** Whether the server is started again after an exit that nobody asked for. Default `true`. */
  readonly restartOnFailure?: boolean | undefined;
  /**
   * Restarts in a row before the server is parked. After 20, 40 and 60 s in `ready` the count is halved, after 120 s it is
   * cleared. Default 3, 1 to 10.
   */
  readonly maxRestartAttempts?: number | undefined;
  readonly healthCheck?: HealthCheckSpec | undefined;
  /** Time between two health checks, in milliseconds. Default 30 000, 10 000 to 300 000. */
  readonly healthCheckIntervalMs?: number | undefined;
  /**
   * Which protocol era to speak. `auto` (default): `initialize` first, and `server/discover` on the same process if
   * the server refuses it. `legacy`: `initialize` only. `2026-07-28`: that revision only.
   */
  readonly protocol?: 'auto' | 'legacy' | '2026-07-28' | undefined;
}

/** How to find out whether a server still works. */
export type HealthCheckSpec =
  | {
      /** `ping` for servers of the 2025 revisions and before, `server/discover` for later ones. */
      readonly method: 'ping';
      /** Default 5 000, 1 000 to 30 000. */
      readonly timeoutMs?: number | undefined;
    }
  | {
      /** A real call; the server is healthy when the result is not an error. */
      readonly method: 'tool_call';
      /** The tool's own name, without the server's. */
      readonly tool: string;
      readonly args?: Readonly<Record<string, unknown>> | undefined;
      /** Default 5 000, 1 000 to 30 000. */
      readonly timeoutMs?: number | undefined;
    };
