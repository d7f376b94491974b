import type { Optional, ProcessFields, ServerFields } from '@x/internal/server-fields';

/**
 * A server to run. Entries of `config.servers` from `@x/mcp-config-schema` fit unchanged. Only `name` and one of `command`,
 * `url` or `server` are required; all else has a default.
 */
export type ServerSpec = StdioServerSpec | HttpServerSpec | InProcessServerSpec;

/** A server that is a child process and speaks newline-delimited JSON over stdin and stdout. */
export interface StdioServerSpec extends ServerSpecBase, Optional<ProcessFields> {
  /** Program to run: a name on PATH or a path. Never passed to a shell. */
  readonly command: string;
  /** Arguments, passed literally. Default none. */
  readonly args?: readonly string[] | undefined;
  /**
   * Variables for the process, over the few inherited ones: `PATH`, `HOME`, `TMPDIR`, the user's name, shell and
   * locale, and what programs need on Windows. No other variable of the host reaches the server.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Variables whose values the manager's `resolveSecret` returns at each start. Default none. */
  readonly secrets?: readonly SecretSpec[] | undefined;
  /** Working directory of the process. Default: the host's. */
  readonly cwd?: string | undefined;
  /** Directory of the server's stderr log. An absolute path. Default: the manager's `logDirectory`. */
  readonly logDirectory?: string | undefined;
}

/** A server at a URL, over Streamable HTTP. */
export interface HttpServerSpec extends ServerSpecBase {
  readonly url: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Headers whose values the manager's `resolveSecret` returns for each connection. Default none. */
  readonly secrets?: readonly SecretSpec[] | undefined;
  /** Sign-in of this server: a name that the manager's `auth` knows. Default: the manager's `auth` for this server. */
  readonly auth?: AuthReference | undefined;
}

/** A value that a spec only refers to. */
export interface SecretSpec {
  /** The variable or header that gets the value. */
  readonly key: string;
  /** Argument of `resolveSecret`, such as `keychain:github/ada`. */
  readonly reference: string;
  /** Argument of `resolveSecret`: the directory that the reference is relative to. */
  readonly root?: string | undefined;
}

/** The sign-in that a server requires; the manager's `auth` provides it. */
export interface AuthReference {
  /** Name of a sign-in that the host offers, such as `oauth`. */
  readonly provider: string;
  /** Default, and when empty: the scopes that the server requests. */
  readonly scopes?: readonly string[] | undefined;
}

/** A server object of either SDK generation in this process, linked in memory. Nothing is spawned. */
export interface InProcessServerSpec extends ServerSpecBase {
  /** The server, or a function that makes one per connection. With a function, every restart gets a new one. */
  readonly server: InProcessServer | (() => InProcessServer | Promise<InProcessServer>);
}

/**
 * The part of `Server` and `McpServer` that is used, in `@modelcontextprotocol/sdk` 1.x and
 * `@modelcontextprotocol/server` 2.x.
 */
export interface InProcessServer {
  /** Starts to serve over the transport. */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK generation has a transport type of its own
  connect(transport: any): Promise<void>;
  /** Ends the server. */
  close(): Promise<void>;
}

interface ServerSpecBase extends Optional<ServerFields> {
  /** Unique within one manager. */
  readonly name: string;
  readonly healthCheck?: HealthCheckSpec | undefined;
}

/** Method of the health checks. */
export type HealthCheckSpec =
  | {
      /** `ping` up to revision 2025-11-25, `server/discover` from 2026-07-28. */
      readonly method: 'ping';
      /** Default 5 000, 1 000 to 30 000. */
      readonly timeoutMs?: number | undefined;
    }
  | {
      /** Calls a tool; the server is healthy when the result is not an error. */
      readonly method: 'tool_call';
      /** The tool's own name, without the server's. */
      readonly tool: string;
      readonly args?: Readonly<Record<string, unknown>> | undefined;
      /** Default 5 000, 1 000 to 30 000. */
      readonly timeoutMs?: number | undefined;
    };
