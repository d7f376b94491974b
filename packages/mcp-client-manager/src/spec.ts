import type { Optional, ProcessFields, ServerFields } from '@x/internal/server-fields';

/**
 * What should run. The manager owns this contract; an entry of `@x/mcp-config-schema`'s `config.servers` fits as it
 * stands. Only `name` and one of `command`, `url` or `server` are needed; everything else has a default.
 */
export type ServerSpec = StdioServerSpec | HttpServerSpec | InProcessServerSpec;

/** A server that is a child process and speaks newline-delimited JSON over its stdin and stdout. */
export interface StdioServerSpec extends ServerSpecBase, Optional<ProcessFields> {
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

interface ServerSpecBase extends Optional<ServerFields> {
  /** Unique within one manager. */
  readonly name: string;
  readonly healthCheck?: HealthCheckSpec | undefined;
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
