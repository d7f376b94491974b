import type { AuditFailure } from './audit/audit-recorder.js';
import type { RankerFailure } from './search/ranker.js';

/** Events by name. */
export interface RegistryEvents {
  /** The tools have changed. Emitted once per swap, when reads already show the new tools. */
  'tools-changed': ToolsChange;
  /**
   * Rules or trust have changed, so resources and prompts may be allowed or forbidden differently; `tools-changed` has
   * the consequences for tools. A view emits it only if its own rules changed.
   */
  'access-changed': AccessChange;
  /** A ranker failed in a search, which continued without it. Emitted by the registry itself, not by views of roles. */
  'ranker-failed': RankerFailure;
  /**
   * The audit sink threw. Emitted at the first loss, the tenth, the hundredth and so on, by the registry itself only.
   */
  'audit-failed': AuditFailure;
}

/** The subject of a policy change. Ask the policy again. */
export interface AccessChange {
  /** The server whose parts, except its tools, are now held back or released. Absent: rules have changed. */
  readonly server?: string | undefined;
}

/** The changes of one swap, as public names in stable order. At least one of the lists is not empty. */
export interface ToolsChange {
  /** The revision of subsequent reads. */
  readonly revision: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Tools with any change, including their source's `state`. */
  readonly changed: readonly string[];
}
