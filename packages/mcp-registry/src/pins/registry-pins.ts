import type { EventSource } from '@x/internal/contracts';
import type { ToolFinding } from '../findings/tool-finding.js';
import type { ToolTrust } from './trust-policy.js';

/** Approvals, for operators only: shows hidden tools. */
export interface RegistryPins {
  readonly events: EventSource<PinEvents>;
  /**
   * Resolves when the store was read.
   *
   * @throws {RegistryError} `pin-store-failed`. `reload()` tries again.
   */
  readonly ready: Promise<void>;
  /** The offered tools, sorted by server and name. */
  list(filter?: PinFilter): Promise<readonly OfferedTool[]>;
  /** True if a server's instructions wait for approval; in mode `approve`, also while anything of it waits. */
  holdsInstructions(server: string): boolean;
  /**
   * True if a tool needs approval before calls; in modes with approvals, also if it is unlisted. For calls past the
   * registry, such as health checks.
   */
  holdsTool(tool: ToolReference): boolean;
  /**
   * A unified diff per field from the approved to the offered definition; empty if they are equal. Safe to print:
   * hidden characters are escapes.
   *
   * @throws {RegistryError} `unknown-tool`: no source offers it.
   */
  diff(tool: ToolReference, options?: DiffOptions): Promise<string>;
  /**
   * Approves tools as read: all, or none if one has changed since. Skips `unapprovable` tools of a list, so
   * `approve(await list({ server }))` approves a server. Resolves when the pins are saved and the tools visible.
   *
   * @throws {RegistryError} `unknown-tool`, `unapprovable-tool`, `changed-since-read`, `pin-store-failed`, `closed`.
   */
  approve(read: ReadTool | readonly ReadTool[]): Promise<void>;
  /**
   * Removes approvals; without `tool`, all of the server. There is no second first use.
   *
   * @throws {RegistryError} `unknown-tool`: neither offered nor approved; `pin-store-failed`, `closed`.
   */
  revoke(tool: { readonly server: string; readonly tool?: string | undefined }): Promise<void>;
  /**
   * Reads the store again, for approvals by other processes.
   *
   * @throws {RegistryError} `pin-store-failed`, `closed`. The known approvals stay valid.
   */
  reload(): Promise<void>;
}

/** Filter of `list`. Default: all. */
export interface PinFilter {
  readonly server?: string | undefined;
  readonly trust?: ToolTrust | undefined;
}

/** A tool by its server and its own name. */
export interface ToolReference {
  readonly server: string;
  /** The tool's own name. Empty for the server's instructions. */
  readonly tool: string;
}

/** Options of `diff`. */
export interface DiffOptions {
  /**
   * Redacts the value of a field before long lines are folded. Fields that differ only in hidden text have two equal
   * lines. Default: no redaction.
   */
  readonly redact?: ((value: unknown) => unknown) | undefined;
}

/** A tool as it was read. */
export interface ReadTool extends ToolReference {
  /** As in `OfferedTool`. */
  readonly digest: string;
  /** As in `OfferedTool`. */
  readonly unapprovable?: string | undefined;
}

/** A tool that an attached source offers. */
export interface OfferedTool extends ReadTool {
  /** Its actual or possible public name. */
  readonly name: string;
  readonly trust: ToolTrust;
  /** `sha256:…` of the offered definition. */
  readonly digest: string;
  /** Reason why it cannot be approved, such as a secret in its name. */
  readonly unapprovable?: string | undefined;
  readonly approved?: ApprovedText | undefined;
  /** With `pending`: an approved tool with nearly the same text, as after a rename. */
  readonly similarTo?: SimilarTool | undefined;
  readonly findings: readonly ToolFinding[];
}

/** The approved definition. */
export interface ApprovedText {
  readonly digest: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly by: 'approval' | 'first-use';
}

/** A tool with nearly the same text. */
export interface SimilarTool extends ToolReference {
  /** Share of common words, relative to the shorter text, 0 to 1. */
  readonly similarity: number;
  /** False if the tool is not offered any more, so this may be its new name. */
  readonly isOffered: boolean;
}

/** Events of approvals. */
export interface PinEvents {
  /** Tools were held back or released. Emitted after the change. */
  'trust-changed': { readonly tools: readonly TrustChange[] };
}

/** A tool, with its current trust. */
export interface TrustChange extends ToolReference {
  readonly trust: ToolTrust;
}
