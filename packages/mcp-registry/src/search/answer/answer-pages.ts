import { digest } from '@x/internal/digests';
import type { Snapshot } from '../../catalog/snapshot.js';
import { RegistryError } from '../../errors.js';
import { diffDocuments, hasChanges } from '../index/snapshot-follower.js';
import type { Ranking } from '../rank/ranker-panel.js';
import type { SearchPolicy } from '../search-request.js';
import type { FoundTool } from './search-answer.js';

interface AnswerPage {
  readonly offset: number;
  readonly end: number;
  /** @param found - Best first, at least up to `end`. */
  of(found: readonly FoundTool[], total: number): PagedTools;
}

interface PagedTools {
  readonly total: number;
  readonly tools: readonly FoundTool[];
  readonly truncated: boolean;
  readonly nextCursor?: string;
}

/** Divides results into pages. Cursors are valid while the order is the same. */
export class AnswerPages {
  /** Distinguishes views and processes. */
  readonly #id = Math.random().toString(36).slice(2, 10);
  #content: { readonly snapshot: Snapshot; readonly revision: number } | undefined;

  /**
   * @param rankings - The rankers' orders, which affect the cursor.
   * @throws {RegistryError} `invalid-cursor`
   */
  page(policy: SearchPolicy, snapshot: Snapshot, rankings: readonly Ranking[] = []): AnswerPage {
    const { query, useRegex, server, include, limit, cursor } = policy;
    const revision = include === 'ready' ? snapshot.revision : this.#contentRevision(snapshot);
    const order = rankings.length === 0 ? '' : `-${digest(JSON.stringify(rankings))}`;
    const scope = {
      search: [query, useRegex, server ?? null, include],
      version: `${this.#id}-${revision.toString(36)}${order}`,
    };
    const offset = cursor === undefined ? 0 : readCursor(cursor, scope);
    const end = offset + limit;
    return {
      offset,
      end,
      of: (found, total) => ({
        total,
        tools: found.slice(offset, end),
        truncated: total > end,
        ...(total > end ? { nextCursor: writeCursor(end, scope) } : {}),
      }),
    };
  }

  /** The last revision that affects the order; states of sources do not. */
  #contentRevision(snapshot: Snapshot): number {
    const seen = this.#content;
    if (seen?.snapshot === snapshot) return seen.revision;
    const isSame = seen !== undefined && !hasChanges(diffDocuments(seen.snapshot, snapshot));
    this.#content = { snapshot, revision: isSame ? seen.revision : snapshot.revision };
    return this.#content.revision;
  }
}

/** A cursor is refused outside of its scope, because it would skip or repeat tools. */
interface CursorScope {
  /** The query and all options that affect matches or order. */
  readonly search: readonly unknown[];
  /** Identifies the tools and their order. */
  readonly version: string;
}

/** `<offset>.<version>.<check>`. The check detects mistakes, and is no protection. */
function writeCursor(offset: number, scope: CursorScope): string {
  const position = `${offset.toString(36)}.${scope.version}`;
  return `${position}.${checkOf(position, scope)}`;
}

/** @throws {RegistryError} `invalid-cursor`. */
function readCursor(cursor: string, scope: CursorScope): number {
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

function checkOf(position: string, { search }: CursorScope): string {
  return digest(JSON.stringify([position, ...search]));
}
