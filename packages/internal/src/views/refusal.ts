import { isBranded } from '../errors/branded.js';

const REFUSAL = Symbol.for('@x/mcp-registry.error');

/** The refusal of a view, from any installed copy of the registry. */
export type Refusal = Error & {
  readonly code: string;
  readonly position?: number | undefined;
  readonly reason?: string | undefined;
  readonly suggestions: readonly string[];
  readonly faults: readonly object[];
};

export function isRefusal(value: unknown): value is Refusal {
  return isBranded(value, REFUSAL);
}
