import type { ServerRow } from '../control/server-facts.js';

// Messages between the dashboard's page and the daemon, as plain data. Both sides take these types from here, so this file
// imports nothing but types.

/** Facts of a server's row that the page gets. A fact that is not named here stays in the daemon. */
export const shownFacts = [
  'name',
  'state',
  'phase',
  'health',
  'transport',
  'autoStart',
  'disabled',
  'tools',
  'callsInFlight',
  'callsQueued',
  'restarts',
  'junkLines',
  'catalogProblems',
  'pid',
  'memoryBytes',
  'protocolVersion',
  'requirement',
  'lastError',
] as const satisfies readonly (keyof ServerRow)[];

/** One server on the page. Its texts are untrusted; known secrets are starred out. */
export interface ServerView extends Pick<ServerRow, (typeof shownFacts)[number]> {
  /** In milliseconds since 1970, as every `…At` here. */
  readonly startedAt?: number | undefined;
  readonly retryAt?: number | undefined;
}

/** How a server was at one moment; it was so until the next sample. */
export interface Sample {
  readonly at: number;
  readonly state: string;
  readonly health: ServerView['health'];
  readonly memoryBytes?: number | undefined;
}

export type CallOutcome = 'running' | 'ok' | 'tool-error' | 'failed' | 'input-required' | 'task' | 'refused';

/** One call that was made through the daemon. Holds no arguments and no result. */
export interface CallView {
  /** Counted by the daemon from 1. */
  readonly id: number;
  readonly at: number;
  /** The name that was asked for. */
  readonly tool: string;
  readonly server?: string | undefined;
  readonly role?: string | undefined;
  readonly outcome: CallOutcome;
  readonly durationMs?: number | undefined;
  /** Code of the failure. */
  readonly error?: string | undefined;
}

export interface DaemonView {
  readonly version: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly memoryBytes: number;
  readonly configFiles: readonly string[];
}

/** The fleet that the daemon belongs to. Texts of other nodes are untrusted. */
export interface FleetView {
  readonly fleet: string;
  /** Name of this node. */
  readonly node: string;
  readonly phase: 'joining' | 'joined' | 'cut-off' | 'failed' | 'left';
  readonly isBusConnected: boolean;
  readonly error?: string | undefined;
  /** This node first. */
  readonly nodes: readonly {
    readonly name: string;
    readonly isOwn: boolean;
    readonly state: 'alive' | 'unreachable';
    readonly servers: number;
  }[];
  readonly servers: readonly FleetServerView[];
  /** Servers that are not listed because there are too many. */
  readonly moreServers: number;
  /** What the bus has forbidden to this node, the newest last. */
  readonly alarms: readonly { readonly at: number; readonly operation: string; readonly subject: string }[];
}

export interface FleetServerView {
  readonly node: string;
  readonly server: string;
  readonly placement: string;
  readonly state: string;
  /** Of a server that runs once: that node has it. */
  readonly holdsIt: boolean;
  /** What it is called here; left out when it is not offered here. */
  readonly source?: string | undefined;
  readonly tools?: number | undefined;
}

/** Everything that changes by itself, as it is when it is sent. */
export interface Snapshot {
  /** When that is, by the clock of the daemon, which may be another than that of the page. */
  readonly at: number;
  readonly daemon?: DaemonView | undefined;
  readonly fleet?: FleetView | undefined;
  /** In the order of the config. */
  readonly servers: readonly ServerView[];
  /** By the server's name, oldest first. */
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
  /** Oldest first. */
  readonly calls: readonly CallView[];
}

/** What is new since the last that was sent, of each thing the latest; sent every few seconds although nothing is. */
export interface Changes {
  readonly at: number;
  readonly daemon?: DaemonView | undefined;
  /** `null`: the daemon belongs to none any more. Left out: as before. */
  readonly fleet?: FleetView | null | undefined;
  /** Servers that the config does not name any more; one that is also in `servers` is there again. */
  readonly removed: readonly string[];
  readonly servers: readonly ServerView[];
  /** To be added to those that are known. */
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
  readonly calls: readonly CallView[];
}

/** What `api/events` sends, in the order in which it came about. A reader that fell behind gets a `snapshot` again. */
export type LiveMessage =
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'changes'; readonly changes: Changes };

/** One line that a server wrote to stderr. */
export interface LogLineView {
  readonly line: string;
  /** Lines that were left out before this one. */
  readonly missed?: number | undefined;
}

/** What `api/logs` sends: what was written since the last message. */
export interface LogMessage {
  readonly lines: readonly LogLineView[];
}

/** Answer to `api/session`. */
export interface SessionView {
  /** Sent along with what changes something. Left out for a link that may only look. */
  readonly adminKey?: string | undefined;
}

export interface ToolRow {
  readonly name: string;
  readonly server?: string | undefined;
  readonly tool: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly state: string;
}

/** Answer to `api/tools`. Long descriptions end in `…`. */
export interface ToolsView {
  readonly total: number;
  readonly tools: readonly ToolRow[];
}

/** Answer to `api/tool`. */
export interface ToolDetail extends ToolRow {
  readonly signature: string;
  readonly inputSchema: string;
}

export interface RoleView {
  readonly role: string;
  readonly tools: readonly string[];
}

/** Answer to `api/explain`. */
export interface ExplanationView {
  readonly decision: 'allowed' | 'denied' | 'unknown';
  readonly message: string;
}

export interface IssueView {
  readonly severity: string;
  readonly code: string;
  /** Several lines: what is wrong, where, and what would be right. */
  readonly text: string;
}

export interface RequirementView {
  readonly tier: string;
  readonly server: string;
  readonly isSatisfied: boolean;
  readonly status: string;
  readonly hint?: string | undefined;
}

export interface ToolReadinessView {
  readonly tool: string;
  readonly readiness: string;
  readonly requirements: readonly RequirementView[];
}

/** Answer to `api/config`. */
export interface ConfigView {
  readonly files: readonly string[];
  /** Of the files as they are on the disk now, which may be newer than what the daemon runs. */
  readonly issues: readonly IssueView[];
  /** Issues that are not listed because there are too many. */
  readonly moreIssues: number;
  /** Of the config that the daemon runs. */
  readonly requirements: readonly ToolReadinessView[];
}

/** A tool that is held back until its text is approved. */
export interface PinView {
  readonly server: string;
  readonly tool: string;
  readonly trust: 'trusted' | 'pending' | 'changed';
  /** Of the text that is offered now: what an approval is about. */
  readonly digest: string;
  /** What is suspicious about it. */
  readonly findings: readonly string[];
  /** What is offered against what was approved, as a unified diff. Characters that do not show are escaped. */
  readonly diff: string;
  /** The diff is too long to be sent whole: whoever saw it has not seen what there is to approve. */
  readonly isCut: boolean;
}

/** Answer to `api/pins`. */
export interface PinsView {
  /** What holds for servers without a mode of their own: `all`, `pin-on-first-use` or `approve`. */
  readonly mode: string;
  /** Of all tools that are known. */
  readonly trusted: number;
  /** Held back, before a limit. */
  readonly total: number;
  readonly pins: readonly PinView[];
}

/** What a page may have done. Nothing else can be asked for: no program is named from outside. */
export type AdminAction =
  | { readonly action: 'start' | 'stop' | 'restart'; readonly server: string }
  | { readonly action: 'approve'; readonly server: string; readonly tool: string; readonly digest: string };

/** Answer to `api/admin/confirmations`: what would be done, to be confirmed once. */
export interface ConfirmationView {
  readonly id: string;
  readonly question: string;
  readonly details: readonly string[];
}

/** Answer to `api/admin/actions`. */
export interface ActionResult {
  readonly isDone: boolean;
  readonly message: string;
}

/** Answer to whatever was refused or went wrong. */
export interface ErrorView {
  readonly error: { readonly code: string; readonly message: string };
}
