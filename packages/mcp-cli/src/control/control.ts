import type { ServerStatus } from '@x/mcp-client-manager';
import type { RequirementTier } from '@x/mcp-config-schema';
import type { FleetReport } from '../fleet/fleet-report.js';
import type { ControlErrorData } from './control-error.js';
import type { PinControl } from './pins.js';
import type { RequirementControl } from './requirements.js';
import type { ResourceControl } from './resources.js';
import type { RoleControl } from './roles.js';
import type { ToolControl } from './tools.js';
import type { WaitOptions } from './wait-options.js';

/**
 * Everything that commands ask of a set of servers. What goes in and comes out is plain data, so it is the same whether
 * the servers run in this process or in the daemon. Failures are `ControlError`s, and a `signal` that aborts ends the
 * wait with its reason.
 */
export interface Control
  extends ServerControl,
    ToolControl,
    ResourceControl,
    RoleControl,
    PinControl,
    RequirementControl,
    AsyncDisposable {
  /**
   * What a server has written to stderr lately, through all its restarts, oldest first, and with `follow` what it writes
   * from then on. Before it has written anything here, what is in its log from earlier.
   */
  logs(options: LogOptions): AsyncIterable<LogLine>;
  /** Where every server is now, and from then on each that has changed. A slow reader misses steps, never the last one. */
  events(options?: WaitOptions): AsyncIterable<ControlEvent>;
  /** The daemon that the servers run in; `undefined` when they run in this process. */
  daemonInfo(options?: WaitOptions): Promise<DaemonInfo | undefined>;
}

/** How servers are and what becomes of them. Without names it is about all of them. */
export interface ServerControl {
  /** Starts nothing and asks no server. */
  status(options?: WaitOptions): Promise<StatusReport>;
  /** Without names: every server that may start by itself. A failed one never keeps the others from starting. */
  start(servers?: readonly string[], options?: StartOptions): Promise<readonly ServerOutcome[]>;
  /** Calls that are under way have 10 s to finish. */
  stop(servers?: readonly string[], options?: WaitOptions): Promise<readonly ServerOutcome[]>;
  /** Without names: every server that runs. */
  restart(servers?: readonly string[], options?: StartOptions): Promise<readonly ServerOutcome[]>;
  /** Asks each server that runs whether it is well, right now. */
  health(servers?: readonly string[], options?: WaitOptions): Promise<StatusReport>;
  /** Asks one server for its tools; starts it if need be. */
  discover(server: string, options?: DiscoverOptions): Promise<DiscoveryReport>;
  /** What one server said of itself; starts it if need be. */
  capabilities(server: string, options?: StartOptions): Promise<CapabilitiesReport>;
}

export interface StartOptions extends WaitOptions {
  /** Called for each step of each server that comes up meanwhile. */
  readonly onStep?: ((step: StartStep) => void) | undefined;
}

export interface DiscoverOptions extends StartOptions {
  /**
   * Answers with what is known of the server's tools, and asks it only if nothing is. Starts nothing unless that is so.
   * Default `false`.
   */
  readonly remembered?: boolean | undefined;
}

/** A step of a server's start that is done, or how the start failed. */
export type StartStep =
  | { readonly server: string; readonly step: 'spawned'; readonly pid?: number | undefined }
  | { readonly server: string; readonly step: 'handshake' }
  | {
      readonly server: string;
      readonly step: 'ready';
      readonly tools: number;
      readonly protocolVersion?: string | undefined;
    }
  /** `isLast`: it is not tried again by itself for now. */
  | { readonly server: string; readonly step: 'failed'; readonly message: string; readonly isLast: boolean };

export type ServerOutcome =
  | { readonly server: string; readonly status: 'done' }
  | { readonly server: string; readonly status: 'failed'; readonly error: ControlErrorData };

export interface StatusReport {
  readonly servers: readonly ServerRow[];
  /** The fleet that the daemon belongs to, if any. */
  readonly fleet?: FleetReport | undefined;
}

/** A row of the status table. */
export interface ServerRow extends ServerStatus {
  /** Memory of its process group in bytes. Left out while it does not run, and where the system does not tell. */
  readonly memoryBytes?: number | undefined;
  /** How much the tools of the config need it; the strongest wish counts. */
  readonly requirement?: RequirementTier | undefined;
  /** The fleet runs it once, and this host is not the one that does: a start of it here is refused. */
  readonly runsElsewhere?: true;
  /** The user has not agreed to what it runs, so no start of it succeeds. "mcpx trust" asks. */
  readonly waitsForConsent?: true;
  /** It replaces a server of the user with the same name, which stands in this file and line. */
  readonly replaces?: string;
}

export interface DiscoveryReport {
  readonly server: string;
  readonly protocolVersion?: string | undefined;
  readonly tools: readonly {
    readonly name: string;
    readonly title?: string | undefined;
    readonly description?: string | undefined;
  }[];
  /** Left out for a server that does not run. */
  readonly capabilities?: unknown;
  /** When the tools were listed, in milliseconds since 1970, if the server was not asked by this process. */
  readonly cachedAt?: number | undefined;
  /** What was wrong with the list. Empty when all was well. */
  readonly problems: readonly string[];
}

export interface CapabilitiesReport {
  readonly server: string;
  readonly protocolVersion?: string | undefined;
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  readonly instructions?: string | undefined;
  readonly capabilities: unknown;
}

export interface LogOptions extends WaitOptions {
  readonly server: string;
  /** Default `false`: ends with the last line that there is. */
  readonly follow?: boolean | undefined;
  /** Most lines of those that there are. Default: all that are kept, which is at most 64 KiB. */
  readonly lines?: number | undefined;
}

export interface LogLine {
  /** Untrusted text without its line end. Known secrets are starred out. */
  readonly line: string;
  /** Lines that were left out before this one, because they came faster than they were read. */
  readonly missed?: number | undefined;
  /** When it was written, as ISO 8601 in UTC; of lines that an earlier process has put into the server's log. */
  readonly at?: string | undefined;
}

/** Where one server is. Without a `row` it was taken out of the config. */
export interface ControlEvent {
  readonly server: string;
  readonly row?: ServerRow | undefined;
}

export interface DaemonInfo {
  /** Version of the program that the daemon runs. */
  readonly version: string;
  readonly protocol: number;
  /** The process that answers for the other one. */
  readonly pid: number;
  /** The process that holds the servers. */
  readonly workerPid: number;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly configFiles: readonly string[];
  readonly logFile?: string | undefined;
  /** Memory of the worker in bytes. */
  readonly memoryBytes: number;
}
