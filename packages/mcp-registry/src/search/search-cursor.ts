import { digest } from '@x/internal/digests';
import { RegistryError } from '../errors.js';

/** Scope of a cursor. A cursor of another query must be refused: it would skip or repeat tools. */
export interface CursorScope {
  /** The query and every option that affects which tools match and their order. */
  readonly search: readonly unknown[];
  /** Identifies the current tools and their order. */
  readonly version: string;
}

/** A position in an answer: `<offset>.<version>.<check>`. The check catches mistakes; a position is not a secret. */
export function writeCursor(offset: number, scope: CursorScope): string {
  const place = `${offset.toString(36)}.${scope.version}`;
  return `${place}.${checkOf(place, scope)}`;
}

/**
 * @throws {RegistryError} `invalid-cursor` if it belongs to another search, to earlier tools, or is not a cursor at
 * all.
 */
export function readCursor(cursor: string, scope: CursorScope): number {
  const [, offset, version, check] = /^([0-9a-z]{1,8})\.([0-9a-z-]{1,80})\.([0-9a-z]{8})$/.exec(cursor) ?? [];
  if (offset === undefined || version === undefined || check !== checkOf(`${offset}.${version}`, scope)) {
    throw new RegistryError(
      'invalid-cursor',
      'The cursor does not belong to this search; pass nextCursor as it came, with the query and options that it came ' +
        'for, or leave the cursor out to search from the start',
    );
  }
  if (version !== scope.version) {
    throw new RegistryError(
      'invalid-cursor',
      'The tools or their order have changed since this cursor was given; leave the cursor out to search again',
    );
  }
  return Number.parseInt(offset, 36);
}

function checkOf(place: string, { search }: CursorScope): string {
  return digest(JSON.stringify([place, ...search]));
}
