import type { AuthSource } from './auth-source.js';

const wantedBy = new WeakMap<AuthSource, string>();

/** Records a scope that a request lacked, until the user signs in with it. */
export function recordMissingScope(source: AuthSource, scope: string): void {
  wantedBy.set(source, joinScopes(wantedBy.get(source), scope));
}

export function missingScope(source: AuthSource): string | undefined {
  return wantedBy.get(source);
}

export function forgetMissingScope(source: AuthSource): void {
  wantedBy.delete(source);
}

export function joinScopes(...lists: readonly (string | undefined)[]): string {
  return [...new Set(lists.flatMap((list) => list?.split(' ') ?? []))].filter((scope) => scope !== '').join(' ');
}
