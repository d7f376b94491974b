import type { ServerLogEntry } from '@x/mcp-client-manager';
import type { ServerEventKind, ServerRow } from '../control/server-facts.js';

// Messages between the dashboard's page and the daemon. Both import this file, so it imports types only.

/** Fields of a row that the page receives. */
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
  'waitsForConsent',
  'lastError',
] as const satisfies readonly (keyof ServerRow)[];

/** Texts are untrusted; known secrets are redacted. */
export interface ServerView extends Pick<ServerRow, (typeof shownFacts)[number]> {
  /** In milliseconds since 1970, like every `…At` here. */
  readonly startedAt?: number | undefined;
  readonly retryAt?: number | undefined;
  /** The missing part of the server, as in `needs GITHUB_TOKEN`. */
  readonly needs?: string | undefined;
  /** True if `needs` has a sign-in. */
  readonly needsSignIn?: true | undefined;
}

/** State of a server until the next sample. */
export interface Sample {
  readonly at: number;
  readonly state: string;
  readonly health: ServerView['health'];
  /** Why it does not run or is unhealthy, in at most 200 characters. */
  readonly reason?: string | undefined;
  readonly memoryBytes?: number | undefined;
}

/** An item of the result of the request `serverHistory`. */
export type ServerHistoryEntry = ServerChange | PassedChecks;

/** Health checks that passed in a row, with no change in between. */
interface PassedChecks {
  /** Time of the last one. */
  readonly at: number;
  readonly kind: 'checks-passed';
  readonly count: number;
}

/** A change of a server's state or config. */
export interface ServerChange {
  readonly at: number;
  /** `config-changed`: another entry of the config is in effect. The others as in `mcpx logs --events`. */
  readonly kind: ServerEventKind | 'config-changed';
  /** Reason, or what is known of a start, in at most 500 characters. Untrusted; known secrets are redacted. */
  readonly detail?: string | undefined;
}

export type CallOutcome = 'running' | 'ok' | 'tool-error' | 'failed' | 'input-required' | 'task' | 'refused';

/** Limit of the latest calls, and of the recorded ones. The oldest are dropped. */
export const maxCalls = 200;

export interface CallView {
  /** Counted from 1. */
  readonly id: number;
  readonly at: number;
  /** The requested name. */
  readonly tool: string;
  readonly server?: string | undefined;
  readonly role?: string | undefined;
  /** Name and version that the client gave. */
  readonly client?: string | undefined;
  readonly outcome: CallOutcome;
  readonly durationMs?: number | undefined;
  /** Code of the failure. */
  readonly error?: string | undefined;
  /** Id of its record, if its arguments and result were recorded. */
  readonly record?: number | undefined;
}

/** The state of the recording of calls. */
export interface RecordingView {
  readonly isOn: boolean;
  /** Recorded calls and their size in UTF-16 units. */
  readonly calls: number;
  readonly size: number;
  readonly maxCalls: number;
  readonly maxSize: number;
}

/** A recorded value without secrets, as JSON, or the reason why it was left out. */
export interface RecordedValue {
  readonly json?: string | undefined;
  readonly left?: string | undefined;
}

/**
 * A stage of a call, until the next. `mcpx`: checks, interceptors and approvals. `queue`: waits for a turn. `start`: waits
 * for the start of the server. `server`: the server works. `lost`: after a lost connection.
 */
export interface CallStage {
  readonly stage: 'mcpx' | 'queue' | 'start' | 'server' | 'lost';
  /** Since the begin of the call. */
  readonly atMs: number;
  readonly server?: string | undefined;
  readonly transport?: 'stdio' | 'http' | 'in-process' | undefined;
  readonly host?: string | undefined;
  /** In the stage of a server that is a gateway of mcpx: the stages there. */
  readonly gateway?: GatewayStages | undefined;
}

/** Stages of a call in another gateway, by its clock. Texts are untrusted. */
export interface GatewayStages {
  readonly stages: readonly CallStage[];
  readonly tookMs: number;
}

/** A recorded call. Texts are untrusted. */
export interface RecordedCallView {
  readonly id: number;
  readonly args: RecordedValue;
  /** Absent after a failure. */
  readonly result?: RecordedValue | undefined;
  readonly error?: string | undefined;
  readonly stages: readonly CallStage[];
  readonly tookMs: number;
  /** Of W3C Trace Context, 32 hexadecimal digits. Absent for a call without a `traceparent` in its `_meta`. */
  readonly traceId?: string | undefined;
}

export type UsageSpan = '5m' | '1h' | '24h';

/** Calls that reached a server or failed on the way, without refused ones. */
export interface UsagePoint {
  readonly calls: number;
  /** Failed calls and errors of tools. */
  readonly errors: number;
  /** Estimated from bins. Absent without calls. */
  readonly p50Ms?: number | undefined;
  readonly p95Ms?: number | undefined;
}

export interface UsageFigures extends UsagePoint {
  readonly refused: number;
}

export interface UsageRow extends UsageFigures {
  /** Untrusted. Absent for the sum of the names beyond the limit. */
  readonly name?: string | undefined;
  /** Calls by time slot, oldest first. For servers only. */
  readonly points?: readonly number[] | undefined;
}

/** Use over a span that ends with the current time slot. Counts calls at their end. */
export interface UsageReport {
  readonly span: UsageSpan;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly slotMs: number;
  readonly total: UsageFigures;
  /** Oldest first. The last one is the slot of `at`. */
  readonly points: readonly UsagePoint[];
  /** Names that were used, most calls first. */
  readonly servers: readonly UsageRow[];
  readonly tools: readonly UsageRow[];
  readonly clients: readonly UsageRow[];
  readonly roles: readonly UsageRow[];
}

/** A call that waits for an approval. Texts are untrusted; known secrets are redacted. */
export interface ApprovalView {
  readonly id: string;
  readonly server?: string | undefined;
  /** The tool's own name. */
  readonly tool: string;
  readonly expiresAt: number;
  /** Lines with server, tool, caller and arguments. Hidden characters and look-alike letters are escaped. */
  readonly text: string;
  /** All arguments as JSON, if the text leaves out a part. */
  readonly rest?: string | undefined;
  /** True if the arguments exceed the limit of the page. */
  readonly isCut: boolean;
}

export interface DaemonView {
  readonly version: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly memoryBytes: number;
  readonly configFiles: readonly string[];
  /** Time of the version of the config in effect. */
  readonly configReadAt: number;
  /** Why the present files are not in effect. Untrusted. */
  readonly configProblem?: string | undefined;
}

/** Texts of other nodes are untrusted. */
export interface FleetView {
  readonly fleet: string;
  /** This node. */
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
  /** Servers beyond the limit of the list. */
  readonly moreServers: number;
  /** Permissions that the bus denied, oldest first. */
  readonly alarms: readonly { readonly at: number; readonly operation: string; readonly subject: string }[];
}

interface FleetServerView {
  readonly node: string;
  readonly server: string;
  readonly placement: string;
  readonly state: string;
  /** True on the node that runs a singleton. */
  readonly isOwner: boolean;
  /** Name of the source on this node, if it is offered here. */
  readonly source?: string | undefined;
  readonly tools?: number | undefined;
}

export interface Snapshot {
  /** By the daemon's clock, which may differ from the page's. */
  readonly at: number;
  readonly daemon?: DaemonView | undefined;
  readonly fleet?: FleetView | undefined;
  /** In the order of the config. */
  readonly servers: readonly ServerView[];
  /** By the server's name, oldest first. */
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
  /** Oldest first. */
  readonly calls: readonly CallView[];
  /** Oldest first. */
  readonly approvals: readonly ApprovalView[];
  /** Absent if calls cannot be recorded. */
  readonly recording?: RecordingView | undefined;
}

/** Changes since the previous message, sent at least every few seconds. */
export interface Changes {
  readonly at: number;
  readonly daemon?: DaemonView | undefined;
  /** `null`: the daemon has left its fleet. Absent: unchanged. */
  readonly fleet?: FleetView | null | undefined;
  /** One that is also in `servers` was added again. */
  readonly removed: readonly string[];
  readonly servers: readonly ServerView[];
  /** New samples. */
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
  readonly calls: readonly CallView[];
  /** All that wait now. Absent: unchanged. */
  readonly approvals?: readonly ApprovalView[] | undefined;
  /** Absent: unchanged. */
  readonly recording?: RecordingView | undefined;
}

/** Messages of `api/events`. A slow reader receives a new `snapshot`. */
export type LiveMessage =
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'changes'; readonly changes: Changes };

/** Untrusted; known secrets are redacted. */
export interface LogLineView {
  readonly line: string;
  /** Of a message that the server sent by the protocol. Absent for stderr. */
  readonly level?: LogLevel | undefined;
  /** Part of the server that sent the message. */
  readonly logger?: string | undefined;
  /** Lines dropped before this one. */
  readonly missed?: number | undefined;
}

export type LogLevel = ServerLogEntry['level'];

/** Messages of `api/logs`. */
export interface LogMessage {
  readonly lines: readonly LogLineView[];
}

/** Rights of a page. Each includes the previous ones. */
export type PageKey = 'look' | 'operate' | 'call';

/** Response of `api/session`. */
export interface SessionView {
  readonly may: PageKey;
  /** Absent for a page that may only look. */
  readonly adminKey?: string | undefined;
}

/** Response of `api/control/NAME`. Texts for pages that only look are cut after 20 000 characters, with a note. */
export interface MethodResponse<Result> {
  readonly result: Result;
}

/**
 * Lines of `api/control/NAME` for a method with listeners or with questions of servers: items and questions, then the
 * result or the failure.
 */
export type CallMessage =
  | { readonly item: unknown }
  | { readonly ask: QuestionView }
  /** Id of a question that needs no answer any more. */
  | { readonly withdrawn: string }
  | { readonly result: unknown }
  | { readonly error: { readonly code: string; readonly message: string; readonly hint?: string } };

/** A question of a server about a request of the page. Texts are untrusted; known secrets are redacted. */
export type QuestionView = { readonly id: string; readonly server: string } & (
  | {
      readonly kind: 'form';
      readonly message: string;
      readonly schema: Readonly<Record<string, unknown>>;
      /** Fields that look like secrets, which servers must not request. */
      readonly secrets: readonly string[];
    }
  | {
      readonly kind: 'page';
      readonly message: string;
      readonly url: string;
      readonly host: string;
      readonly warnings: readonly string[];
    }
  /** After pages that the server requires: `accept` makes the request again. */
  | { readonly kind: 'visited' }
);

/** Body of `api/answers` with the `id` of the question. */
export interface QuestionAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

interface IssueView {
  readonly severity: string;
  readonly code: string;
  /** Several lines: fault, position, remedy. */
  readonly text: string;
}

interface RequirementView {
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

/** Response of `api/config`. */
export interface ConfigView {
  readonly files: readonly string[];
  /** Of the files on disk, which may be newer than the daemon's config. */
  readonly issues: readonly IssueView[];
  /** Issues beyond the limit of the list. */
  readonly moreIssues: number;
  /** Of the daemon's config. */
  readonly requirements: readonly ToolReadinessView[];
}

/** An issue at its place in a file. Texts are untrusted; secrets are masked. */
export interface PlacedIssue {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Counted from 1. The column is that of the masked line. */
  readonly line: number;
  readonly column: number;
}

/** A file of the config as it is on disk. Texts are untrusted; secrets are `***`. */
export interface ConfigFileView {
  /** Absolute. */
  readonly path: string;
  readonly layer: string;
  /** `host-app`: of another program; its text stays unread here. `other`: only its issues are known. */
  readonly kind: 'config' | 'host-app' | 'other';
  /** Names of its servers. */
  readonly servers: readonly string[];
  /** Empty unless it is a config. */
  readonly lines: readonly string[];
  /** Lines beyond the limit of the page. */
  readonly moreLines: number;
  readonly issues: readonly PlacedIssue[];
}

/** Result of the request `configFiles`. */
export interface ConfigFilesView {
  /** Why there are no files: none was found, or one cannot be read. */
  readonly problem?: string | undefined;
  /** Strongest layer first. */
  readonly files: readonly ConfigFileView[];
  /** Issues beyond the limit of the list. */
  readonly moreIssues: number;
  /** Servers with variables that have no value. */
  readonly unset: readonly { readonly server: string; readonly variables: readonly string[] }[];
  /** The latest edit of a page that can be taken back. */
  readonly lastEdit?: { readonly change: number; readonly server: string; readonly at: number } | undefined;
}

/** Result of the request `serverEdit`: the fields of a server that pages may change. */
export interface ServerEditView {
  /** Absolute path of the file with the entry. */
  readonly file: string;
  /** JSON Schema of the fields, in the units of the file. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Each field of the schema is in one of them, in the order of the form. */
  readonly groups: readonly { readonly title: string; readonly keys: readonly string[] }[];
  /** Fields that the entry has. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Why there are few fields. */
  readonly note?: string | undefined;
  readonly rules: ServerRules;
}

/** The config in effect has these rules for a server, beside its fields. Names and texts are untrusted. */
export interface ServerRules {
  /** Number of the server's known tools. */
  readonly tools: number;
  /** Number of these tools that each role may use. At most 100 roles. */
  readonly roles: readonly { readonly role: string; readonly allowed: number }[];
  /** Texts in place of the server's own, in the entry's `tools`. At most 200. */
  readonly overrides: readonly ToolOverrideView[];
  /** Absolute paths of files whose entry of this name is not used, because this one is. */
  readonly replaces: readonly string[];
}

export interface ToolOverrideView {
  readonly tool: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly isHidden: boolean;
  /** The server offers no tool of this name. */
  readonly isUnmatched: boolean;
}

/** New values by key. `null` leaves the field out. */
export type FieldChanges = Readonly<Record<string, unknown>>;

/** Result of the request `planServerEdit`. Texts are untrusted; secrets are masked. */
export type ServerEditPlan =
  | { readonly outcome: 'faults'; readonly faults: readonly { readonly field: string; readonly message: string }[] }
  | { readonly outcome: 'refused'; readonly message: string; readonly details: readonly string[] }
  | { readonly outcome: 'unchanged' }
  | {
      readonly outcome: 'planned';
      /** Absolute. */
      readonly file: string;
      /** Unified diff. */
      readonly diff: string;
      /** One sentence for each server or rule that it changes. */
      readonly effects: readonly string[];
      readonly warnings: readonly string[];
      /** Digest of the file that the plan is for. */
      readonly base: string;
    };

/** Values as JSON, with `***` for secrets. Absent for a field that is not set. */
export interface ConfigDifference {
  readonly field: string;
  /** In the config in effect. */
  readonly running?: string | undefined;
  /** In the files. */
  readonly now?: string | undefined;
}

/** Response of `api/server-config`. Texts are untrusted; secrets are masked. */
export interface ServerConfigView {
  /** Absolute path of the file with the entry. */
  readonly file?: string | undefined;
  /** Counted from 1. */
  readonly line: number;
  readonly layer: string;
  /** As the file has it. Absent if the files have no such entry any more. */
  readonly entry?: string | undefined;
  /** Fields of the files that are not in effect. */
  readonly differences: readonly ConfigDifference[];
}

/** A tool without approval of its definition. */
export interface PinView {
  readonly server: string;
  readonly tool: string;
  readonly trust: 'trusted' | 'pending' | 'changed';
  /** Of the current definition. */
  readonly digest: string;
  /** Suspicious content. */
  readonly findings: readonly string[];
  /** Unified diff to the current definition. Invisible characters are escaped. */
  readonly diff: string;
  /** True if the diff exceeded the limit. */
  readonly isCut: boolean;
}

/** Response of `api/pins`. */
export interface PinsView {
  /** Default mode: `all`, `pin-on-first-use` or `approve`. */
  readonly mode: string;
  readonly trusted: number;
  /** Tools without approval, before the limit of the list. */
  readonly total: number;
  readonly pins: readonly PinView[];
}

/** The only actions that a page can request; none names a program. */
export type AdminAction =
  | { readonly action: 'start' | 'stop' | 'restart'; readonly server: string }
  | { readonly action: 'approve'; readonly server: string; readonly tool: string; readonly digest: string }
  /** `id`: of a call that waits. */
  | { readonly action: 'approve-call' | 'deny-call'; readonly id: string }
  | { readonly action: 'record-calls' | 'stop-recording' | 'forget-recorded-calls' }
  /** Named fields that change no launch. `base`: of the plan that was shown. */
  | {
      readonly action: 'edit-server';
      readonly server: string;
      readonly changes: FieldChanges;
      readonly base: string;
    }
  /** `change`: number of an edit of a page. */
  | { readonly action: 'undo-edit'; readonly change: number };

/** Response of `api/admin/confirmations`: the effects of an action. */
export interface ConfirmationView {
  readonly id: string;
  readonly question: string;
  readonly details: readonly string[];
  /** Unified diff of a file. */
  readonly diff?: string | undefined;
}

/** Response of `api/admin/actions`. */
export interface ActionResult {
  readonly isDone: boolean;
  readonly message: string;
}

/** Response of a request that was refused or failed. */
export interface ErrorView {
  readonly error: { readonly code: string; readonly message: string };
}
