import { isGatewayServer as isGatewayLaunch } from '@x/internal/launch';

/**
 * Server in the common form of all hosts, which servers of a loaded `Config` have. `${NAME}`, `${env:NAME}` and
 * `${NAME:-default}` are written in each host's syntax; `$${` is a literal `${`. Load the config with `variables:
 * 'keep'`; otherwise hosts' files get the values of variables.
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
  /** `http` is Streamable HTTP, and the transport of entries whose host detects it. */
  readonly transport: 'http' | 'sse';
  /** As in a loaded `ServerConfig`: `sse` overrides `transport`. */
  readonly type?: 'sse' | undefined;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Fields of every server. */
export interface HostServerBase {
  readonly name: string;
  /** Default `true`. Hosts without a disabled state do not get a disabled server. */
  readonly enabled?: boolean | undefined;
  /** As in a loaded `ServerConfig`: `true` overrides `enabled`. Default `false`. */
  readonly disabled?: boolean | undefined;
  /** Maximum duration of a call in milliseconds. Default: that of the host. */
  readonly timeoutMs?: number | undefined;
  /**
   * Only available tools, by their names on the server, with `*` for any text; `undefined`: all. Written to hosts with
   * `toolLists: 'write'` alone; otherwise a warning reports the server.
   */
  readonly allowedTools?: readonly string[] | undefined;
  /** Tools that are never available, even if allowed. Same form as `allowedTools`. */
  readonly deniedTools?: readonly string[] | undefined;
  /**
   * References to missing values of `env` or `headers`, as in a loaded `ServerConfig`. A server with references is not
   * written; `resolveSecrets` resolves them.
   */
  readonly secrets?: readonly { readonly key: string; readonly reference: string }[] | undefined;
  /**
   * Paths of texts with the value of a variable or secret, such as `['env', 'TOKEN']`, as in a loaded `ServerConfig`.
   * Not displayed, and not written to project files.
   */
  readonly sensitive?: readonly (readonly (string | number)[])[] | undefined;
}

/**
 * True for this project's gateway: the command `mcpx serve`, also through a launcher such as `npx`, or its marker. An
 * imported gateway entry would start itself.
 */
export function isGatewayServer(server: HostServer): boolean {
  return isGatewayLaunch(server);
}
