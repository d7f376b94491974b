/**
 * A server in a form common to all hosts. Texts may contain `${NAME}`, `${env:NAME}` and `${NAME:-default}`, which are
 * written in each host's syntax; `$${` is a literal `${`. Servers of a loaded `Config` have this form. Load it with
 * `variables: 'keep'`; otherwise hosts' files get the values of variables.
 */
export type HostServer = HostStdioServer | HostRemoteServer;

/** A server that the host starts as a process. */
export interface HostStdioServer extends HostServerBase {
  readonly transport: 'stdio';
  /** The program, without arguments. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** A server that the host connects to by URL. */
export interface HostRemoteServer extends HostServerBase {
  /** `http` is Streamable HTTP. Some hosts detect the transport themselves; their entries read as `http`. */
  readonly transport: 'http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Fields of every server. */
export interface HostServerBase {
  readonly name: string;
  /** Default `true`. Hosts without a disabled state do not get a server with `false`. */
  readonly enabled?: boolean | undefined;
  /** As in a loaded `ServerConfig`: `true` overrides `enabled`. Default `false`. */
  readonly disabled?: boolean | undefined;
  /** Maximum duration of a call in milliseconds. Default: that of the host. */
  readonly timeoutMs?: number | undefined;
  /**
   * The only available tools, by their names on the server, with `*` for any text; `undefined`: all. Read from hosts
   * with such a list, but never written: a warning reports the server.
   */
  readonly allowedTools?: readonly string[] | undefined;
  /** Tools that are never available, even if allowed. Same form as `allowedTools`. */
  readonly deniedTools?: readonly string[] | undefined;
  /**
   * References to values that are missing in `env` or `headers`, as in a loaded `ServerConfig`. Hosts cannot resolve
   * them, so the server is not written. `resolveSecrets` fills them in.
   */
  readonly secrets?: readonly { readonly key: string; readonly reference: string }[] | undefined;
  /**
   * Paths of texts with the value of a variable or secret, as in a loaded `ServerConfig`: `['env', 'TOKEN']`, `['args',
   * 1]`. Not displayed, and not written to project files.
   */
  readonly sensitive?: readonly (readonly (string | number)[])[] | undefined;
}
