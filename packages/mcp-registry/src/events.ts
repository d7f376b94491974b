import type { AuditFailure } from './audit/audit-recorder.js';
import type { RankerFailure } from './search/ranker.js';

/** What is told, by the name of the event. */
export interface RegistryEvents {
  /** The tools are no longer what they were. Told once per swap, when reads already show the new tools. */
  'tools-changed': ToolsChange;
  /**
   * Other rules or another trust hold now, so resources and prompts that were allowed may be so no more, and the other way round; what that
   * means for tools is in `tools-changed`. A view is told only if its own rules are others.
   */
  'access-changed': AccessChange;
  /** A ranker did not help a search, which went on without it. Told by the registry itself, not by views of roles. */
  'ranker-failed': RankerFailure;
  /** The audit sink threw. Told at the first loss, the tenth, the hundredth and so on, by the registry itself alone. */
  'audit-failed': AuditFailure;
}

/** What has become different. Ask the policy again. */
export interface AccessChange {
  /** The server of which everything but its tools is held back from now on, or no longer. Left out: other rules hold. */
  readonly server?: string | undefined;
}

/** What one swap changed, as public names in stable order. At least one of the lists has an entry. */
export interface ToolsChange {
  /** The revision that reads answer from now on. */
  readonly revision: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Tools that now read differently in any way; their source's `state` counts too. */
  readonly changed: readonly string[];
}
