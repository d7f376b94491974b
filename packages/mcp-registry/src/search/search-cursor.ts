import { digest } from '@x/internal/digests';
import { RegistryError } from '../errors.js';

/** A cursor is refused outside of its scope, because it would skip or repeat tools. */
export interface CursorScope {
  /** The query and all options that affect matches or order. */
  readonly search: readonly unknown[];
  /** Identifies the tools and their order. */
  readonly version: string;
}

/** `<offset>.<version>.<check>`. The check detects mistakes, and is no protection. */
export function writeCursor(offset: number, scope: CursorScope): string {
  const place = `${offset.toString(36)}.${scope.version}`;
  return `${place}.${checkOf(place, scope)}`;
}

/** @throws {RegistryError} `invalid-cursor`. */
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
