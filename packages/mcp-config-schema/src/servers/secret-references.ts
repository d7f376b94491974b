import type { SecretReference } from '../config.js';
import type { DeclaredServer } from './declared-server.js';

/** `undefined` if there are none. */
export function secretReferences(
  { source, path, entry }: DeclaredServer,
  { keepsVariables }: { readonly keepsVariables: boolean },
): readonly SecretReference[] | undefined {
  const section = entry.url === undefined ? 'env' : 'headers';
  const found = Object.entries(entry[section] ?? {}).flatMap(([key, value]): SecretReference[] => {
    if (typeof value === 'string' || (keepsVariables && asVariable(value) !== undefined)) return [];
    const place = [...path, section, key];
    return [{ key, reference: value.secret_ref, source: source.position(place), path: place }];
  });
  return found.length === 0 ? undefined : found;
}

/** The variable for a reference: `${NAME}` for `env:NAME`. */
export function asVariable({ secret_ref }: { readonly secret_ref: string }): string | undefined {
  const name = /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(secret_ref)?.[1];
  return name === undefined ? undefined : `\${${name}}`;
}
