import { createHash, randomBytes } from 'node:crypto';
import { BoundedMap } from '@x/internal/limits';
import type { AdminAction, PageKey } from './page-messages.js';

export const linkLifetimeMs = 120_000;
export const confirmationLifetimeMs = 60_000;
const maxLinks = 16;
const maxSessions = 32;
const maxPagesOfSession = 16;
const maxConfirmations = 32;

/** Each includes the previous ones. */
export const pageKeys: readonly PageKey[] = ['look', 'operate', 'call'];

export interface Session {
  /** The cookie's value. It permits to look only. */
  readonly readKey: string;
  /** Not a cookie, because browsers send cookies to every port of this machine. Absent for a link that may only look. */
  readonly adminKey: string | undefined;
  readonly may: PageKey;
}

/** Keys that a request brings. */
interface Keys {
  readonly readKey: string | undefined;
  readonly adminKey?: string | undefined;
}

/** Sessions, links and confirmations of the dashboard. Stores a bounded number of digests. */
export class Access {
  readonly #now: () => number;
  readonly #links = new BoundedMap<
    string,
    { readonly may: PageKey; readonly until: number; readonly onUsed: () => void }
  >(maxLinks);
  /** Rights by the digest of an admin key, by the digest of the session's read key. */
  readonly #sessions = new BoundedMap<string, BoundedMap<string, PageKey>>(maxSessions);
  readonly #confirmations = new BoundedMap<
    string,
    { readonly adminDigest: string; readonly action: AdminAction; readonly until: number }
  >(maxConfirmations);

  /** @param now - Monotonic milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @returns The token of a one-time link, valid for `linkLifetimeMs`. */
  newLink(may: PageKey, onUsed: () => void): string {
    const token = newSecret();
    this.#links.renew(digestOf(token), { may, until: this.#now() + linkLifetimeMs, onUsed });
    return token;
  }

  /**
   * @param readKey - Cookie of the browser. A valid one is kept, because a new one would sign out earlier pages.
   * @returns `undefined` for an unknown, used or expired link.
   */
  open(token: string, readKey?: string): Session | undefined {
    const digest = digestOf(token);
    const link = this.#links.get(digest);
    this.#links.delete(digest);
    if (!link || link.until < this.#now()) return undefined;
    const session: Session = {
      readKey: readKey !== undefined && this.may('look', { readKey }) ? readKey : newSecret(),
      adminKey: link.may === 'look' ? undefined : newSecret(),
      may: link.may,
    };
    const adminKeys =
      this.#sessions.get(digestOf(session.readKey)) ?? new BoundedMap<string, PageKey>(maxPagesOfSession);
    if (session.adminKey !== undefined) adminKeys.renew(digestOf(session.adminKey), link.may);
    this.#sessions.renew(digestOf(session.readKey), adminKeys);
    link.onUsed();
    return session;
  }

  /** True if the keys belong to one session and permit that. */
  may(wanted: PageKey, { readKey, adminKey }: Keys): boolean {
    const adminKeys = readKey === undefined ? undefined : this.#sessions.get(digestOf(readKey));
    if (adminKeys === undefined || wanted === 'look') return adminKeys !== undefined;
    const granted = adminKey === undefined ? undefined : adminKeys.get(digestOf(adminKey));
    return granted !== undefined && pageKeys.indexOf(granted) >= pageKeys.indexOf(wanted);
  }

  /** @returns Id of a one-time confirmation for this key, valid for `confirmationLifetimeMs`. */
  newConfirmation(adminKey: string, action: AdminAction): string {
    const id = newSecret();
    const until = this.#now() + confirmationLifetimeMs;
    this.#confirmations.renew(digestOf(id), { adminDigest: digestOf(adminKey), action, until });
    return id;
  }

  /** `undefined` for an unknown, used or expired confirmation, and for one of another key. */
  confirmed(adminKey: string, id: string): AdminAction | undefined {
    const digest = digestOf(id);
    const confirmation = this.#confirmations.get(digest);
    if (!confirmation || confirmation.adminDigest !== digestOf(adminKey)) return undefined;
    this.#confirmations.delete(digest);
    return confirmation.until < this.#now() ? undefined : confirmation.action;
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The duration of a lookup by digest reveals nothing about valid keys. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
