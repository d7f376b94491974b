/**
 * A server in the one shape that the entries of all hosts are brought into. Texts may hold `${NAME}`, `${env:NAME}`
 * and `${NAME:-default}`, which become each host's own spelling; `$${` is a literal `${`.
 *
 * A server of a loaded `Config` fits as it stands. Load it with `variables: 'keep'`: otherwise its variables are
 * replaced by their values, which then end up in hosts' files.
 */
export type HostServer = HostStdioServer | HostRemoteServer;

/** A server that a host starts itself. */
export interface HostStdioServer extends HostServerBase {
  readonly transport: 'stdio';
  /** The program alone. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** A server that a host reaches by its URL. */
export interface HostRemoteServer extends HostServerBase {
  /** `http` is Streamable HTTP. Some hosts tell the two apart by themselves and read both back as `http`. */
  readonly transport: 'http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a server has however it is reached. */
export interface HostServerBase {
  readonly name: string;
  /** Default `true`. `false` is written as the off state of a host, and a host without one does not have the server. */
  readonly enabled?: boolean | undefined;
  /** As in a loaded `ServerConfig`: `true` counts as `enabled: false`, whatever `enabled` is. Default `false`. */
  readonly disabled?: boolean | undefined;
  /** Longest that one call may take. Left to the host when missing. */
  readonly timeoutMs?: number | undefined;
  /**
   * The only tools that are offered, by the names the server has for them, with `*` for any text; `undefined`: all. Read
   * where a host has such a list, and never written: whoever writes such a server is warned.
   */
  readonly allowedTools?: readonly string[] | undefined;
  /** Tools that are never offered, even if allowed; as `allowedTools`. */
  readonly deniedTools?: readonly string[] | undefined;
  /**
   * What is missing in `env` or `headers` because it is only referred to, as in a loaded `ServerConfig`. A server with
   * any is not written: the host could not look it up. `resolveSecrets` fills it in.
   */
  readonly secrets?: readonly { readonly key: string; readonly reference: string }[] | undefined;
  /**
   * The texts that the value of a variable or of a secret became part of, as in a loaded `ServerConfig`: `['env', 'TOKEN']`,
   * `['args', 1]`. They are not shown, and not written into files of a project.
   */
  readonly sensitive?: readonly (readonly (string | number)[])[] | undefined;
}
