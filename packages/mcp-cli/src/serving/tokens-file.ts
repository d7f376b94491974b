import { isRecord } from '@x/internal/json';
import { parseDocument } from 'yaml';
import { UsageError } from '../command.js';
import { readPrivateFile } from './private-file.js';
import { isToken } from './token-file.js';

/** One client: its token, or the SHA-256 of it in hexadecimal. */
export type TokenEntry = { readonly id: string; readonly role?: string } & (
  | { readonly token: string }
  | { readonly sha256: string }
);

const maxBytes = 1_048_576;
const keys: ReadonlySet<string> = new Set(['id', 'role', 'token', 'sha256']);

/** @throws {UsageError} The file cannot be read, is not private, or has invalid entries; lists all of them. */
export async function readTokensFile(path: string): Promise<readonly TokenEntry[]> {
  const text = await readPrivateFile(path, { what: 'The tokens file', maxBytes });
  return parseTokens(plainValue(text, path), path);
}

function plainValue(text: string, path: string): unknown {
  try {
    // JSON is a subset of YAML.
    const document = parseDocument(text, { prettyErrors: false });
    if (document.errors.length === 0) return document.toJS({ maxAliasCount: 0 });
  } catch {
    // Aliases or excessive depth: no valid list of tokens.
  }
  // The parser's message may quote a line with a token.
  throw invalidFile(path, ['it is neither YAML without aliases nor JSON']);
}

/** @throws {UsageError} */
export function parseTokens(value: unknown, path: string): readonly TokenEntry[] {
  const list = isRecord(value) ? value.tokens : undefined;
  if (!Array.isArray(list) || list.length === 0) throw invalidFile(path, ['it has no list of tokens']);
  const faults = [
    ...list.flatMap((entry: unknown, index) => faultsOf(entry).map((fault) => `entry ${index + 1}: ${fault}`)),
    ...repeatedIds(list).map((id) => `several entries have the id "${id}"`),
  ];
  if (faults.length > 0) throw invalidFile(path, faults);
  return list.map(({ id, role, token, sha256 }) => ({
    id,
    ...(role !== undefined && { role }),
    ...(token === undefined ? { sha256: sha256.toLowerCase() } : { token }),
  }));
}

/** Messages contain no values, because a token may stand in the wrong field. */
function faultsOf(entry: unknown): readonly string[] {
  if (!isRecord(entry)) return ['it must have an id, and a token or sha256'];
  const { id, role, token, sha256 } = entry;
  return [
    ...(typeof id === 'string' && id !== '' ? [] : ['id must be a string']),
    ...(role === undefined || (typeof role === 'string' && role !== '') ? [] : ['role must be a string']),
    ...((token === undefined) === (sha256 === undefined) ? ['it must have either a token or its sha256'] : []),
    ...(token === undefined || (typeof token === 'string' && isToken(token))
      ? []
      : ['token must be 16 or more ASCII characters without spaces']),
    ...(sha256 === undefined || (typeof sha256 === 'string' && /^[0-9a-f]{64}$/i.test(sha256))
      ? []
      : ['sha256 must be 64 hexadecimal digits']),
    ...(Object.keys(entry).every((key) => keys.has(key))
      ? []
      : ['it must have no keys but id, role, token and sha256']),
  ];
}

function repeatedIds(list: readonly unknown[]): readonly string[] {
  const ids = list.flatMap((entry) => (isRecord(entry) && typeof entry.id === 'string' ? [entry.id] : []));
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}

function invalidFile(path: string, faults: readonly string[]): UsageError {
  const hint = 'Write: tokens: [{ id: ci, role: review, sha256: <what "printf %s TOKEN | sha256sum" prints> }]';
  return new UsageError(`The tokens file ${path} is invalid.`, { details: faults.slice(0, 20), hint });
}
