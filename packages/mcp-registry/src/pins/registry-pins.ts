import type { EventSource } from '@x/internal/contracts';
import type { ToolFinding } from '../findings/tool-finding.js';
import type { ToolTrust } from './judge-tool.js';

/** Approvals, for operators only: shows tools that are hidden from all others, so it is on no view of a role. */
export interface RegistryPins {
  readonly events: EventSource<PinEvents>;
  /**
   * Settles when the store has been read.
   *
   * @throws {RegistryError} `pin-store-failed`. `reload()` tries again.
   */
  readonly ready: Promise<void>;
  /** Resolves with the tools that the attached sources offer, in the order of servers and names. */
  list(filter?: PinFilter): Promise<readonly OfferedTool[]>;
  /**
   * True if a server's instructions wait for approval. In the mode `approve` its resources, prompts and log wait with
   * them, as long as anything of the server waits.
   */
  holdsInstructions(server: string): boolean;
  /**
   * True if a tool may not be called before its approval. In a mode that needs approvals, also for a tool that the
   * server does not list. For calls past the registry, such as those of a health check.
   */
  holdsTool(tool: ToolReference): boolean;
  /**
   * Resolves with what is offered against what was approved, field by field as a unified diff; empty if nothing differs. Safe to
   * print: characters that do not show, or that do something to a terminal, are written as `\u200b`.
   *
   * @throws {RegistryError} `unknown-tool`: no source offers it.
   */
  diff(tool: ToolReference, options?: DiffOptions): Promise<string>;
  /**
   * Approves what was read: all of it or, if a tool is not any more what the digest says, nothing.
   * `approve(await list({ server }))` approves a server, without the tools that `list` gives as `unapprovable`. Settles when it is
   * kept and the tools are shown.
   *
   * @throws {RegistryError} `unknown-tool`, `unapprovable-tool`, `changed-since-read`, `pin-store-failed`, `closed`.
   */
  approve(read: ReadTool | readonly ReadTool[]): Promise<void>;
  /**
   * Takes an approval back; without `tool`, all of the server's. Nothing of it becomes first use again.
   *
   * @throws {RegistryError} `unknown-tool`: neither offered nor approved; `pin-store-failed`, `closed`.
   */
  revoke(tool: { readonly server: string; readonly tool?: string | undefined }): Promise<void>;
  /**
   * Reads the store again, for approvals that another process has given.
   *
   * @throws {RegistryError} `pin-store-failed`, `closed`. What was known before holds on.
   */
  reload(): Promise<void>;
}

/** Filter of `list`. Absent fields do not restrict. */
export interface PinFilter {
  readonly server?: string | undefined;
  readonly trust?: ToolTrust | undefined;
}

/** A tool by its server and its own name. */
export interface ToolReference {
  readonly server: string;
  /** The tool's own name. Empty for the instructions of the server. */
  readonly tool: string;
}

/** Options of `diff`. */
export interface DiffOptions {
  /**
   * Returns what to show of the value of a field. Receives the value before long lines are folded, because a fold can hide a secret. A
   * field that differs only in what this hides is shown as two equal lines. Default: returns the value.
   */
  readonly redact?: ((value: unknown) => unknown) | undefined;
}

/** A tool, with the text that was read. */
export interface ReadTool extends ToolReference {
  /** As in `OfferedTool.digest`. */
  readonly digest: string;
  /** As in `OfferedTool.unapprovable`. A list skips such a tool. */
  readonly unapprovable?: string | undefined;
}

export interface OfferedTool extends ReadTool {
  /** Its public name, or the one that it would have. */
  readonly name: string;
  readonly trust: ToolTrust;
  /** `sha256:…` of the offered definition. */
  readonly digest: string;
  /** Reason why it cannot be approved, for example a secret in its name. */
  readonly unapprovable?: string | undefined;
  /** The approved definition under this name. */
  readonly approved?: ApprovedText | undefined;
  /** For a `pending` tool: an approved one with nearly the same text, as after a rename. */
  readonly similarTo?: SimilarTool | undefined;
  readonly findings: readonly ToolFinding[];
}

/** The approved text of a tool, with time and kind of approval. */
export interface ApprovedText {
  readonly digest: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly by: 'approval' | 'first-use';
}

/** Another tool with nearly the same text. */
export interface SimilarTool extends ToolReference {
  /** Share of common words, relative to the shorter text: 0 to 1. */
  readonly similarity: number;
  /**
   * True if the similar tool is still offered. If false, the tool with this `similarTo` may be the same tool under a
   * new name.
   */
  readonly isOffered: boolean;
}

/** Events of approvals, by name. */
export interface PinEvents {
  /** Tools were held back or released. Emitted when reads show it. */
  'trust-changed': { readonly tools: readonly TrustChange[] };
}

/** A tool, with its current trust. */
export interface TrustChange extends ToolReference {
  readonly trust: ToolTrust;
}
