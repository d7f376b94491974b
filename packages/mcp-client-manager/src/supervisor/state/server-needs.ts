import { isManagerError } from '../../errors.js';
import type { ServerPolicy } from '../../resolve-spec.js';
import { aimOf, type ServerState } from './server-state.js';

/** Something that a server lacks, and that only its user can provide. */
export type ServerNeed =
  /** A variable of the config without a value, or a place such as `runtime.python`. */
  | { readonly kind: 'variable'; readonly name: string }
  /** The command of the spec, which was not found. */
  | { readonly kind: 'program'; readonly name: string }
  /** A sign-in by the user: see `ManagedServer.authorize`. */
  | { readonly kind: 'sign-in' };

export function needsOf(
  { unsetVariables, target, disabled }: Pick<ServerPolicy, 'unsetVariables' | 'target' | 'disabled'>,
  state: ServerState,
): readonly ServerNeed[] | undefined {
  if (disabled) return undefined;
  if (unsetVariables.length > 0) return unsetVariables.map((name) => ({ kind: 'variable', name }));
  const aim = aimOf(state);
  if (aim.phase === 'auth-required') return [{ kind: 'sign-in' }];
  const isMissing = aim.phase === 'failed' && isManagerError(aim.cause) && aim.cause.code === 'command-not-found';
  return isMissing && target.type === 'stdio' ? [{ kind: 'program', name: target.command }] : undefined;
}
