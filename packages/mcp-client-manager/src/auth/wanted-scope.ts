import type { AuthSource } from './auth-source.js';

const wantedBy = new WeakMap<AuthSource, string>();

/** Keeps in mind that a request was refused for want of this scope, until the user signs in with it. */
export function noteWantedScope(source: AuthSource, scope: string): void {
  wantedBy.set(source, joinScopes(wantedBy.get(source), scope));
}

export function wantedScope(source: AuthSource): string | undefined {
  return wantedBy.get(source);
}

export function forgetWantedScope(source: AuthSource): void {
  wantedBy.delete(source);
}

/** Every scope of several lists once, in the order they came. */
export function joinScopes(...lists: readonly (string | undefined)[]): string {
  return [...new Set(lists.flatMap((list) => list?.split(' ') ?? []))].filter((scope) => scope !== '').join(' ');
}
