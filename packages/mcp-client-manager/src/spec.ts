import type { ToolOverrides } from '@x/internal/contracts';
import type {
  HealthFields,
  LimitFields,
  Optional,
  ProcessLimitFields,
  RestartFields,
  ServerFields,
} from '@x/internal/server-fields';

/**
 * A server to run. Entries of `config.servers` from `@x/mcp-config-schema` fit unchanged. `name` and one of `command`,
 * `url` or `server` are required.
 */
export type ServerSpec = StdioServerSpec | HttpServerSpec | InProcessServerSpec;

/** Servers to run. A loaded config of `@x/mcp-config-schema` fits unchanged, and so does an `mcpServers` object. */
export type ServerSpecs =
  | {
      /** A list, or an object by server name. */
      readonly servers: Iterable<ServerSpec> | ServersByName;
      readonly mcpServers?: undefined;
    }
  | {
      /** The object that host applications have in their config files, by server name. */
      readonly mcpServers: ServersByName;
      readonly servers?: undefined;
    };

/** Specs by server name. Entries need no `name`. */
export type ServersByName = Readonly<Record<string, Unnamed<ServerSpec>>>;

type Unnamed<Spec> = Spec extends unknown ? Omit<Spec, 'name'> & { readonly name?: string | undefined } : never;

/** A child process that speaks newline-delimited JSON over stdin and stdout. */
export interface StdioServerSpec extends ServerSpecBase {
  /** A name on PATH or a path. Never passed to a shell. */
  readonly command: string;
  /** Passed literally. Default none. */
  readonly args?: readonly string[] | undefined;
  /**
   * Added to the few inherited variables: `PATH`, `HOME`, `TMPDIR`, the user's name, shell and locale, and what
   * programs need on Windows. No other variable of the host reaches the server.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Variables whose values `resolveSecret` returns at each start. Default none. */
  readonly secrets?: readonly SecretSpec[] | undefined;
  /** Working directory of the process. Default: the host's. */
  readonly cwd?: string | undefined;
  /** Directory of the stderr log. An absolute path. Default: the manager's `logDirectory`. */
  readonly logDirectory?: string | undefined;
  readonly limits?: ProcessLimitsSpec | undefined;
}

/** A server at a URL, over Streamable HTTP. */
export interface HttpServerSpec extends ServerSpecBase {
  readonly url: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Headers whose values `resolveSecret` returns for each connection. Default none. */
  readonly secrets?: readonly SecretSpec[] | undefined;
  /** A sign-in that the manager's `auth` knows. Default: the manager's `auth` for this server. */
  readonly auth?: AuthReference | undefined;
}

/** A value that a spec only refers to. */
export interface SecretSpec {
  /** The variable or header that gets the value. */
  readonly key: string;
  /** Passed to `resolveSecret`, such as `keychain:github/ada`. */
  readonly reference: string;
  /** Passed to `resolveSecret`: the directory that the reference is relative to. */
  readonly root?: string | undefined;
}

/** The sign-in that a server requires; the manager's `auth` provides it. */
export interface AuthReference {
  /** A sign-in that the host offers, such as `oauth`. */
  readonly provider: string;
  /** Default, and when empty: the scopes that the server requests. */
  readonly scopes?: readonly string[] | undefined;
}

/** A server object of either SDK generation, linked in memory. */
export interface InProcessServerSpec extends ServerSpecBase {
  /** The server, or a function that creates one for each connection. */
  readonly server: InProcessServer | (() => InProcessServer | Promise<InProcessServer>);
}

/**
 * The used part of `Server` and `McpServer`, in `@modelcontextprotocol/sdk` 1.x and `@modelcontextprotocol/server` 2.x.
 */
export interface InProcessServer {
  /** Starts to serve over the transport. Each SDK generation has a type of its own for it. */
  connect(transport: { start(): Promise<void>; close(): Promise<void> }): Promise<void>;
  /** Ends the server. */
  close(): Promise<void>;
}

interface ServerSpecBase extends Optional<ServerFields> {
  /** Unique within one manager. */
  readonly name: string;
  readonly limits?: LimitsSpec | undefined;
  readonly restart?: RestartSpec | undefined;
  readonly health?: HealthCheckSpec | undefined;
  /** Texts of tools in place of the server's own, by the tools' own names. Default: none. */
  readonly tools?: ToolOverrides | undefined;
  /**
   * Variables without a value that the launch needs. While there are any, each start fails at once with `not-set-up`, and
   * the texts of the launch are not checked. Default: none.
   */
  readonly unsetVariables?: readonly string[] | undefined;
}

/** Limits of a server in time and number. */
export interface LimitsSpec extends Optional<LimitFields> {}

/** Limits of a child process. */
export interface ProcessLimitsSpec extends LimitsSpec, Optional<ProcessLimitFields> {}

/** Restarts after a failure. */
export interface RestartSpec extends Optional<RestartFields> {}

/** How often a silent server is checked, and how. */
export type HealthCheckSpec = PingCheckSpec | ToolCheckSpec;

/** A health check by a request of the protocol. */
export interface PingCheckSpec extends HealthCheckBase {
  /** `ping` (default) up to revision 2025-11-25, `server/discover` from 2026-07-28. */
  readonly method?: 'ping' | undefined;
}

/** A health check that calls a tool; an error result counts as a failure. */
export interface ToolCheckSpec extends HealthCheckBase {
  readonly method: 'tool_call';
  /** The tool's own name. */
  readonly tool: string;
  /** Default none. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

interface HealthCheckBase extends Optional<HealthFields> {
  /** Longest wait for an answer, in milliseconds. Default 5 000, 1 000 to 30 000. */
  readonly timeoutMs?: number | undefined;
}
