import type { ServerLogEntry } from '@x/mcp-client-manager';
import type { SourceTool } from '@x/mcp-fleet';
import type { SearchHit, SearchResult } from '@x/mcp-registry';
import type { RoleRule } from '@x/mcp-registry/roles';
import type { OfferedTool } from '@x/mcp-registry/trust';
import type { RuleChanges } from '../config/rule-changes.js';
import type { Trust } from '../config/trust-file.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import type { Membership } from '../fleet/membership.js';
import type { ControlErrorData } from './control-error.js';
import type { ServerRow } from './server-facts.js';

// Results of a control, as plain data.

export type { ServerRow } from './server-facts.js';

/** A step of a server's start, or its failure. */
export type StartStep =
  | { readonly server: string; readonly step: 'spawned'; readonly pid?: number | undefined }
  /** After `spawned`: its program first downloads this npm package. */
  | { readonly server: string; readonly step: 'downloading'; readonly package: string }
  | { readonly server: string; readonly step: 'handshake' | 'listed' }
  | {
      readonly server: string;
      readonly step: 'ready';
      readonly tools: number;
      readonly protocolVersion?: string | undefined;
    }
  /** `isLast`: no further attempt is planned. */
  | { readonly server: string; readonly step: 'failed'; readonly message: string; readonly isLast: boolean };

export type ServerOutcome =
  | { readonly server: string; readonly status: 'done' }
  | { readonly server: string; readonly status: 'failed'; readonly error: ControlErrorData };

export interface StatusReport {
  readonly servers: readonly ServerRow[];
  /** Fleet of the daemon, if any. */
  readonly fleet?: FleetReport | undefined;
}

export interface DiscoveryReport {
  readonly server: string;
  readonly protocolVersion?: string | undefined;
  readonly tools: readonly {
    readonly name: string;
    readonly title?: string | undefined;
    readonly description?: string | undefined;
  }[];
  /** Absent for a server that does not run. */
  readonly capabilities?: unknown;
  /** Time of the list in milliseconds since 1970, if an earlier process requested it. */
  readonly cachedAt?: number | undefined;
  /** Faults of the list. */
  readonly problems: readonly string[];
}

/** A prompt by its name, or a template of resources by its text. */
export type CompletionReference = { readonly prompt: string } | { readonly template: string };

/** Untrusted. */
export interface CompletionReport {
  /** At most 100. */
  readonly values: readonly string[];
}

export interface CapabilitiesReport {
  readonly server: string;
  readonly protocolVersion?: string | undefined;
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  readonly instructions?: string | undefined;
  readonly capabilities: unknown;
}

export interface LogLine {
  /** Untrusted text without its line end. Known secrets are redacted. */
  readonly line: string;
  /** Of a message that the server sent by the protocol (`notifications/message`). Absent for stderr. */
  readonly level?: ServerLogEntry['level'] | undefined;
  /** Untrusted. Part of the server that sent the message, if it names one. */
  readonly logger?: string | undefined;
  /** Lines dropped before this one for a slow reader. */
  readonly missed?: number | undefined;
  /** ISO 8601, UTC. */
  readonly at?: string | undefined;
  /** From the server's log file, which an earlier daemon has written. */
  readonly isEarlier?: true | undefined;
}

/** Without a `row` the config no longer names the server. */
export interface ControlEvent {
  readonly server: string;
  readonly row?: ServerRow | undefined;
}

export interface RoleReport {
  readonly role: string;
  readonly rules: readonly RoleRule[];
  /** Public names of known tools that the role may use. */
  readonly tools: readonly string[];
  /** Entries of the role's lists that match no known tool. */
  readonly unmatched: readonly UnmatchedEntry[];
  /** Entries that match several servers. A permission applies to the first of them only. */
  readonly ambiguous: readonly AmbiguousEntry[];
}

/** Decisions about tools by role. For operators: names tools that a role must not see. */
export interface AccessReport {
  /** The roles of `cells`, in their order. */
  readonly roles: readonly string[];
  /** From the offset, at most 50. */
  readonly tools: readonly AccessRow[];
  /** Tools that fit. */
  readonly total: number;
}

export interface AccessRow {
  /** Public name. */
  readonly name: string;
  readonly server?: string | undefined;
  readonly tool: string;
  readonly cells: readonly AccessCell[];
}

export interface AccessCell {
  /** `asked`: allowed, and each call needs an approval. */
  readonly decision: 'allowed' | 'asked' | 'denied';
  /** The deciding rule, as a sentence. */
  readonly reason: string;
}

/** What a model gets for a query, and why. Tokens are estimates. */
export interface ModelSearchReport {
  /** The answer of the search tool, as text. */
  readonly answer?: { readonly text: string; readonly tokens: number } | undefined;
  /** Why there is no answer. */
  readonly refusal?: string | undefined;
  /** The answer's tools, best first. */
  readonly hits: readonly ModelSearchHit[];
  readonly total: number;
  readonly unmatchedTerms: readonly string[];
  /** The best match is probably not the intended tool. */
  readonly isWeak: boolean;
  /** Definitions in each request of a model that searches, and of one that is given all tools. */
  readonly perRequest: { readonly search: number; readonly all: number };
  /** Tools that the role may use. */
  readonly tools: number;
}

export interface ModelSearchHit extends Pick<SearchHit, 'name' | 'tool' | 'score' | 'coverage' | 'matched'> {
  readonly server?: string | undefined;
  /** Of its whole definition. */
  readonly tokens: number;
}

export interface SearchReport extends SearchResult {
  /** With a role: servers of the config of which it may use nothing. */
  readonly unusable?: readonly string[] | undefined;
}

export interface ToolOwnerReport {
  readonly server: string;
  /** Original name. Absent if the given name does not determine it. */
  readonly tool?: string | undefined;
  /** True if a start of the server may make the tool known. */
  readonly mayStart: boolean;
}

/** A call that waits for an approval. Texts are untrusted; known secrets are redacted. */
export interface ApprovalReport {
  readonly id: string;
  /** Absent for a tool of `mcpx` itself. */
  readonly server?: string | undefined;
  /** The tool's own name. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly role?: string | undefined;
  readonly principal?: string | undefined;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
  readonly digest: string;
  /** The question in lines for people: hidden characters are escaped. */
  readonly text: string;
  /** False if `text` leaves out a part of the arguments. */
  readonly isWhole: boolean;
}

interface UnmatchedEntry {
  readonly list: 'allowedTools' | 'askBefore' | 'deniedTools';
  /** As written in the config. */
  readonly pattern: string;
  readonly message: string;
}

interface AmbiguousEntry extends UnmatchedEntry {
  readonly servers: readonly string[];
}

export interface PinReport {
  readonly trust: Trust;
  readonly tools: readonly OfferedTool[];
}

export interface DaemonInfo {
  readonly version: string;
  readonly protocol: number;
  /** Process that supervises the worker. */
  readonly pid: number;
  /** Process that owns the servers. */
  readonly workerPid: number;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly configFiles: readonly string[];
  /** Time of the version of the config in effect, in milliseconds since 1970. */
  readonly configReadAt: number;
  /** Why the present files are not in effect. */
  readonly configProblem?: string | undefined;
  readonly logFile?: string | undefined;
  /** Where metrics for Prometheus are, and the file of the token for them. */
  readonly metrics?: { readonly url: string; readonly tokenFile: string } | undefined;
  /** Memory of the worker in bytes. */
  readonly memoryBytes: number;
}

/** Servers by the effect of reloads since the last report, and other changes. */
export interface ReloadReport extends RuleChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly updated: readonly string[];
  readonly restarted: readonly string[];
  readonly kept: readonly string[];
}

/** Empty if the daemon belonged to no fleet. */
export type LeaveReport = Partial<Pick<Membership, 'fleet' | 'node'>>;

export interface JoinReport {
  readonly report: FleetReport;
  /** Why this node has not joined yet; it keeps trying. Absent after the join. */
  readonly waitingFor?: string | undefined;
}

export type FleetSourceItem =
  /** A new or changed source. */
  | { readonly source: string; readonly state: string; readonly tools: readonly SourceTool[] }
  | { readonly removed: string }
  /** The list is complete; changes follow. */
  | { readonly isCurrent: true };

export interface DashboardLink {
  readonly url: string;
  readonly expiresInMs: number;
}

export interface DashboardVisit {
  /** True if the link was opened before it expired. */
  readonly isOpened: boolean;
}

/** Output of a serving of the daemon, and the stream of its client. */
export type ServingOutput =
  | { readonly serving: string; readonly ticket?: string | undefined }
  | { readonly stdout: string }
  | { readonly stderr: string };

export interface ServingEnd {
  readonly exitCode: number;
  /** True if the daemon ends, and with it the serving. */
  readonly byDaemon: boolean;
}
