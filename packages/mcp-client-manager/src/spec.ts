/**
 * What should run. The manager owns this contract; an entry of `@x/mcp-config-schema`'s `config.servers` fits as it
 * stands. Only `name` and either `command` or `url` are needed; everything else has a default.
 */
export type ServerSpec = StdioServerSpec | HttpServerSpec;

/** A server that is a child process and speaks newline-delimited JSON over its stdin and stdout. */
export interface StdioServerSpec extends ServerSpecBase {
  /** Program to run: a name to be found on PATH or a path. Never given to a shell. */
  readonly command: string;
  /** Arguments, passed on literally. Default none. */
  readonly args?: readonly string[] | undefined;
  /** Added to the inherited allow-list (see `childEnvironment`); wins over it. Nothing else is inherited. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Working directory of the process. Default: the host's. */
  readonly cwd?: string | undefined;
}

/** A server that is reached by URL over Streamable HTTP. */
export interface HttpServerSpec extends ServerSpecBase {
  readonly url: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface ServerSpecBase {
  /** Unique within one manager. */
  readonly name: string;
  /**
   * Whether a call may start the server. `true` (default): it starts when it is first wanted. `false`: only
   * `start()` starts it, and a call to it while it is stopped fails with `not-started`.
   */
  readonly autoStart?: boolean | undefined;
  /** From spawn to the end of the handshake, in milliseconds. Default 10 000, 1 000 to 60 000. */
  readonly startupTimeoutMs?: number | undefined;
  /**
   * From SIGTERM until SIGKILL, in milliseconds. Default 5 000, 1 000 to 30 000. Before SIGTERM the server has 2 s to
   * leave by itself when its stdin is closed.
   */
  readonly shutdownTimeoutMs?: number | undefined;
  /** Whether the server is started again after an exit that nobody asked for. Default `true`. */
  readonly restartOnFailure?: boolean | undefined;
  /** Restarts in a row, with no stable period of 120 s between them, before the server is parked. Default 3, 1 to 10. */
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
