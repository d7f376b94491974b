import type { EventNames } from '@x/internal/events';
import type { AuditFailure } from './audit/audit-recorder.js';
import type { RankerFailure } from './search/rank/ranker.js';

/** Events by name. */
export interface RegistryEvents {
  /** The tools have changed. Emitted once per swap, after it. */
  'tools-changed': ToolsChange;
  /** Rules or trust have changed, which may affect resources and prompts. A view emits it only for its own rules. */
  'access-changed': AccessChange;
  /** A ranker failed in a search, which continued. Not emitted by views of roles. */
  'ranker-failed': RankerFailure;
  /** The audit sink threw. Emitted at loss 1, 10, 100 and so on, by the registry only. */
  'audit-failed': AuditFailure;
}

export const registryEvents: EventNames<RegistryEvents> = {
  'tools-changed': true,
  'access-changed': true,
  'ranker-failed': true,
  'audit-failed': true,
};

/** A change of policy. */
export interface AccessChange {
  /** Its parts other than tools were held back or released. Absent: rules have changed. */
  readonly server?: string | undefined;
}

/** The changes of one swap: sorted public names. At least one list is not empty. */
export interface ToolsChange {
  readonly revision: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Includes changes of the source's `state`. */
  readonly changed: readonly string[];
}
