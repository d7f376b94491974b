import type { ToolOverrides } from '@x/internal/contracts';
import type {
  HealthFields,
  LimitFields,
  ProcessLimitFields,
  RestartFields,
  ServerFields,
} from '@x/internal/server-fields';

/** The validated inputs with all defaults. */
export interface Config {
  /** Strongest layer first, then in order of the inputs and of the text. Names are unique. */
  readonly servers: readonly ServerConfig[];
  readonly settings: McpSettings;
  readonly tools: readonly ToolConfig[];
  /** One per tool and role. All rules of a role apply: a call must pass each of them. */
  readonly roles: readonly RoleRule[];
  readonly files: readonly string[];
}

/** A server with all defaults filled in. */
export type ServerConfig = StdioServerConfig | HttpServerConfig;

/** A server that is a child process. */
export interface StdioServerConfig extends ServerConfigBase {
  readonly transport: 'stdio';
  /** The program, without arguments. Not for a shell. */
  readonly command: string;
  /** Passed on literally, with templates expanded. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** As written. `loadConfig` makes it absolute; default: the project root. */
  readonly cwd?: string | undefined;
}

/** A server with a URL. */
export interface HttpServerConfig extends ServerConfigBase {
  readonly transport: 'http';
  /** The entry says that the server speaks HTTP with SSE. The manager finds the transport out in any case. */
  readonly type?: 'sse' | undefined;
  /** `http:` or `https:`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The sign-in for requests. Credentials are never part of a configuration. */
  readonly auth?: AuthReference | undefined;
}

/** The sign-in that a server needs, which the host app provides. */
export interface AuthReference {
  /** Name of a sign-in of the host app, such as `oauth`. */
  readonly provider: string;
  /** Empty: the scopes that the server requests. */
  readonly scopes: readonly string[];
}

/** A value in `env` or `headers` that is resolved when the server starts. */
export interface SecretReference {
  /** Variable or header that receives the value. */
  readonly key: string;
  /** As written: a scheme, a colon, and a value for the scheme, such as `env:GITHUB_TOKEN`. */
  readonly reference: string;
  /** Absolute root of the file, for relative paths and commands. Set by `loadConfig`. */
  readonly root?: string | undefined;
  readonly source: SourcePosition;
  readonly path: readonly (string | number)[];
}

/** Fields of all servers. */
export interface ServerConfigBase extends ServerFields {
  readonly name: string;
  /** References to values that are missing in `env` or `headers`. `resolveSecrets` fills them in. */
  readonly secrets?: readonly SecretReference[] | undefined;
  /**
   * Paths of texts that contain the value of a variable or secret and must not be printed: `['env', 'TOKEN']`,
   * `['args', 1]`. Variables such as `HOME` do not count.
   */
  readonly sensitive?: readonly (readonly (string | number)[])[] | undefined;
  /**
   * Variables without a value, which the texts contain unexpanded. The server cannot start, and a client manager says
   * so: see `unsetVariables` of `LoadOptions`. `undefined`: none.
   */
  readonly unsetVariables?: readonly string[] | undefined;
  readonly source: SourcePosition;
  /** Layer of the entry. */
  readonly layer: ConfigLayer;
  readonly package?: string | undefined;
  readonly tags: readonly string[];
  readonly limits: ServerLimits;
  readonly restart: ServerRestart;
  readonly health: HealthCheck;
  /** Texts of tools in place of the server's own, by the tools' own names. */
  readonly tools?: ToolOverrides | undefined;
  /** How the nodes of a fleet share the server; `undefined`: `pinned`. */
  readonly placement?: ServerPlacement | undefined;
  /** The `log_directory` for the server's layer. `undefined`: no log. `loadConfig` makes it absolute. */
  readonly logDirectory?: string | undefined;
  readonly logDirectorySource?: SourcePosition | undefined;
}

/**
 * How the nodes of a fleet share a server. `pinned`: as `server@node`. `local`: not visible. Same name on all nodes
 * that have it: `singleton` runs on one node at a time, `replicated` on any.
 */
export type ServerPlacement = 'pinned' | 'local' | 'singleton' | 'replicated';

/** Limits of a server in time, number and memory, with all defaults filled in. */
export interface ServerLimits extends LimitFields, ProcessLimitFields {}

/** Restarts of a server after a failure, with all defaults filled in. */
export interface ServerRestart extends RestartFields {}

/** Health check of a server, with all defaults filled in. */
export type HealthCheck = HealthFields & { readonly timeoutMs: number } & (
    | { readonly method: 'ping' }
    | {
        readonly method: 'tool_call';
        /** Name of the tool on the server. */
        readonly tool: string;
        readonly args?: Readonly<Record<string, unknown>> | undefined;
      }
  );

/**
 * `mcp_settings` with defaults. A setting applies to servers of its own and stronger layers, and is already part of
 * each server.
 */
export interface McpSettings {
  readonly autoStartDefault: boolean;
  /** Default 30 000. */
  readonly healthCheckIntervalMs: number;
  /** Default 10 000. */
  readonly startupTimeoutMs: number;
  /** Default 5 000. */
  readonly shutdownTimeoutMs: number;
  /** Default `logs/mcp_servers`. As written; `loadConfig` makes it absolute. */
  readonly logDirectory: string;
  readonly logDirectorySource?: SourcePosition | undefined;
}

/** An entry of `tools.yaml`: a program that uses MCP servers. */
export interface ToolConfig {
  readonly name: string;
  readonly source: SourcePosition;
  readonly binary?: string | undefined;
  readonly commandTemplate?: string | undefined;
  readonly models: readonly string[];
  readonly mcpTools: Readonly<Record<RequirementTier, readonly string[]>>;
}

/** Tiers of servers in an entry of `tools.yaml`. */
export type RequirementTier = 'required' | 'recommended' | 'optional';

/** Rule of a role, as in `tools.yaml`. */
export interface RoleRule {
  readonly role: string;
  /**
   * `server`; `server.tool`, `server/tool` or `mcp__server__tool`, with `*` in the tool part; or the name of a tool
   * without a server. Empty allows nothing.
   */
  readonly allowedTools: readonly string[];
  /** Denied tools, also for roles that inherit this one. As above, or a tool's own name. `*` matches any text. */
  readonly deniedTools?: readonly string[] | undefined;
  /**
   * Tools whose calls need a person's approval, also for roles that inherit this one. As in `deniedTools`, or
   * `destructive`: tools that declare neither `readOnlyHint: true` nor `destructiveHint: false`.
   */
  readonly askBefore?: readonly string[] | undefined;
  /** Allows only tools with these annotations. */
  readonly requiredAnnotations?: RequiredAnnotations | undefined;
  /** `server`, or `server.` and a URI with `*` for any text. */
  readonly allowedResources?: readonly string[] | undefined;
  /** `server`, or `server.prompt` with `*` for any text. */
  readonly allowedPrompts?: readonly string[] | undefined;
  /** Roles whose tools are also allowed. All are defined, without cycles. */
  readonly inherits?: readonly string[] | undefined;
  /** True for the role of callers without a role. */
  readonly isDefault?: boolean | undefined;
  readonly tool: string;
  readonly source: SourcePosition;
}

/** Annotations of the MCP specification, as stated by the tool. */
export interface RequiredAnnotations {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/**
 * Precedence of a text, strongest first. `explicit`: named in the call; `project`: in a project directory; `user`: of
 * the user, for every project.
 */
export type ConfigLayer = 'explicit' | 'project' | 'user';

/** Position in a text. Lines and columns start at 1; columns count UTF-16 code units. */
export interface SourcePosition {
  /** As in the input. */
  readonly file?: string | undefined;
  readonly line: number;
  readonly column: number;
}
