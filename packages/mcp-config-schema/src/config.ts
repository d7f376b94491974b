import type { ProcessFields, ServerFields } from '@x/internal/server-fields';

/** Everything the inputs say, checked and with every default filled in. */
export interface Config {
  /** Strongest layer first, then in the order of the inputs, and within one input as written. Names are unique. */
  readonly servers: readonly ServerConfig[];
  readonly settings: McpSettings;
  /** What each entry of `tools.yaml` asks for. */
  readonly tools: readonly ToolConfig[];
  /** One per tool and role. Rules of the same role add up: a call must pass each of them. */
  readonly roles: readonly RoleRule[];
  /** The inputs that had a file name, in their order. */
  readonly files: readonly string[];
}

/** One MCP server, ready to be handed to whatever starts it. */
export type ServerConfig = StdioServerConfig | HttpServerConfig;

/** A server that is a child process. */
export interface StdioServerConfig extends ServerConfigBase {
  readonly transport: 'stdio';
  /** The program alone. Never meant for a shell. */
  readonly command: string;
  /** Passed on literally; templates are already expanded. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** As written. `loadConfig` makes it absolute and fills in the project root when it is left out. */
  readonly cwd?: string | undefined;
}

/** A server that is reached by URL. */
export interface HttpServerConfig extends ServerConfigBase {
  readonly transport: 'http';
  /** `http:` or `https:`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Who signs requests in. Credentials are never part of a configuration. */
  readonly auth?: AuthReference | undefined;
}

/** Which sign-in a server wants; the host app provides it. */
export interface AuthReference {
  /** A sign-in that the host app offers under this name, such as `oauth`. */
  readonly provider: string;
  /** Empty: whatever the server asks for. */
  readonly scopes: readonly string[];
}

/** A value of a server's environment, or of its headers, that is looked up when the server is started. */
export interface SecretReference {
  /** The variable or the header that gets the value. */
  readonly key: string;
  /** As written: a scheme, a colon, and what the scheme makes of the rest, such as `env:GITHUB_TOKEN`. */
  readonly reference: string;
  /** Root of the file that it is written in, absolute: where relative paths start and commands run. `loadConfig` sets it. */
  readonly root?: string | undefined;
  /** Where it is written. */
  readonly source: SourcePosition;
  readonly path: readonly (string | number)[];
}

/** What a server has however it is reached. */
export interface ServerConfigBase extends ServerFields, ProcessFields {
  readonly name: string;
  /** What is missing in `env` or `headers` because it is only referred to. `resolveSecrets` fills it in. */
  readonly secrets?: readonly SecretReference[] | undefined;
  /**
   * The texts of this server that must not be printed, because the value of a variable or of a secret became part of
   * them: `['env', 'TOKEN']`, `['args', 1]`. Variables such as `HOME` do not count.
   */
  readonly sensitive?: readonly (readonly (string | number)[])[] | undefined;
  /** Where the entry's name stands. */
  readonly source: SourcePosition;
  /** Who declared the server: useful to ask before a program is run that came with a project. */
  readonly layer: ConfigLayer;
  /** The package that brings the server, for install hints. */
  readonly package?: string | undefined;
  readonly tags: readonly string[];
  readonly healthCheck: HealthCheck;
  /** How nodes of a fleet share it; `undefined`: `pinned`. */
  readonly placement?: ServerPlacement | undefined;
  /**
   * Directory of the server's log: the `log_directory` that holds for its layer. `undefined`: none is written. As written;
   * `loadConfig` makes it absolute.
   */
  readonly logDirectory?: string | undefined;
  /** Position of that `log_directory`. */
  readonly logDirectorySource?: SourcePosition | undefined;
}

/**
 * How nodes of a fleet share a server. `pinned`: others use it as `server@node`. `local`: no other node sees it. Under its
 * own name on all hosts that have it: `singleton`, one of them runs it at a time; `replicated`, each may.
 */
export type ServerPlacement = 'pinned' | 'local' | 'singleton' | 'replicated';

/** How to find out whether a server still works, with all defaults filled in. */
export type HealthCheck =
  | { readonly method: 'ping'; readonly timeoutMs: number }
  | {
      readonly method: 'tool_call';
      /** The tool's own name, without the server's. */
      readonly tool: string;
      readonly args?: Readonly<Record<string, unknown>> | undefined;
      readonly timeoutMs: number;
    };

/**
 * `mcp_settings`, with defaults filled in. A setting holds for servers of its own layer and of stronger ones, which is already
 * part of each server.
 */
export interface McpSettings {
  /** Default `false`. */
  readonly autoStartDefault: boolean;
  /** Default 30 000. */
  readonly healthCheckIntervalMs: number;
  /** Default 10 000. */
  readonly startupTimeoutMs: number;
  /** Default 5 000. */
  readonly shutdownTimeoutMs: number;
  /** Default `logs/mcp_servers`. As written; `loadConfig` makes it absolute. */
  readonly logDirectory: string;
  /** Where `log_directory` is written; `undefined` for the default. */
  readonly logDirectorySource?: SourcePosition | undefined;
}

/** One entry of `tools.yaml`: a program that uses MCP servers, and which ones it wants. */
export interface ToolConfig {
  readonly name: string;
  readonly source: SourcePosition;
  readonly binary?: string | undefined;
  readonly commandTemplate?: string | undefined;
  readonly models: readonly string[];
  readonly mcpTools: Readonly<Record<RequirementTier, readonly string[]>>;
}

/** The three strengths with which a tool can ask for a server. */
export type RequirementTier = 'required' | 'recommended' | 'optional';

/** What one role may call while it works through one tool. */
export interface RoleRule {
  readonly role: string;
  /**
   * `server`; `server.tool`, `server/tool` or `mcp__server__tool`, with `*` in the tool's part; or the name of a tool that
   * belongs to no server. Empty allows nothing.
   */
  readonly allowedTools: readonly string[];
  /** Taken away again, from heirs of the role too. As above, or a tool's own name. `*` may stand for any text. */
  readonly deniedTools?: readonly string[] | undefined;
  /** Only tools that say this of themselves. */
  readonly requiredAnnotations?: RequiredAnnotations | undefined;
  /** `server`, or `server.` and a URI with `*` for any text. */
  readonly allowedResources?: readonly string[] | undefined;
  /** `server`, or `server.prompt` with `*` for any text. */
  readonly allowedPrompts?: readonly string[] | undefined;
  /** Roles whose tools are allowed as well. All of them are in the configuration, and none leads back to this one. */
  readonly inherits?: readonly string[] | undefined;
  /** Whether this is the role of those who come without one. */
  readonly isDefault?: boolean | undefined;
  /** The entry of `tools.yaml` that says so. */
  readonly tool: string;
  /** Where the role's name stands. */
  readonly source: SourcePosition;
}

/** Hints of the protocol about what a tool does, as it gives them itself. */
export interface RequiredAnnotations {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/**
 * How near to the person who runs the program a text stands; what is nearer wins. `explicit`: named in the call;
 * `project`: found in the directory of a project; `user`: of the user, for every project.
 */
export type ConfigLayer = 'explicit' | 'project' | 'user';

/** A place in a text. Lines and columns start at 1; a column counts UTF-16 code units. */
export interface SourcePosition {
  /** As given in the input. */
  readonly file?: string | undefined;
  readonly line: number;
  readonly column: number;
}
