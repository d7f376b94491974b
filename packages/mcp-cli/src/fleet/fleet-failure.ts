import { isBranded } from '@x/internal/errors';
import type { FleetError } from '@x/mcp-fleet';

/** The brand of the fleet's errors, so that they are recognized without loading it. */
const brand = Symbol.for('@x/mcp-fleet.error');

export function isFleetFailure(
  value: unknown,
): value is Error & Pick<FleetError, 'code' | 'retryable' | 'node' | 'rpc'> {
  return isBranded(value, brand);
}
