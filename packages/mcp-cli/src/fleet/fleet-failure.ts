import { isBranded } from '@x/internal/errors';
import type { FleetError } from '@x/mcp-fleet';

/** As the fleet brands its errors, so that they can be told without loading it. */
const brand = Symbol.for('@x/mcp-fleet.error');

/** Whether the fleet itself has failed. */
export function isFleetFailure(
  value: unknown,
): value is Error & Pick<FleetError, 'code' | 'retryable' | 'node' | 'rpc'> {
  return isBranded(value, brand);
}
