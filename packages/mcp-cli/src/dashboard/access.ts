import { createHash, randomBytes } from 'node:crypto';
import { BoundedMap } from '@x/internal/limits';
import type { AdminAction } from './page-messages.js';

/** How long a link may wait to be opened, in milliseconds. */
export const linkLifetimeMs = 120_000;
/** How long a question may wait for its answer, in milliseconds. */
export const confirmationLifetimeMs = 60_000;
const maxLinks = 16;
const maxSessions = 32;
const maxPagesOfSession = 16;
const maxConfirmations = 32;

export type Scope = 'read' | 'admin';

export interface Session {
  /** Goes into the cookie. Lets its bearer look, and nothing more. */
  readonly readKey: string;
  /** Kept by the page, never in a cookie, which every port of this machine would be sent. */
  readonly adminKey: string | undefined;
}

/** Who may look and who may act. Holds digests of what it handed out, and each kind of it in a bounded number. */
export class Access {
  readonly #now: () => number;
  readonly #links = new BoundedMap<
    string,
    { readonly scope: Scope; readonly until: number; readonly onUsed: () => void }
  >(maxLinks);
  /** By the key that lets look; of each, the keys of the pages that may act. */
  readonly #sessions = new BoundedMap<string, BoundedMap<string, true>>(maxSessions);
  readonly #confirmations = new BoundedMap<
    string,
    { readonly adminDigest: string; readonly action: AdminAction; readonly until: number }
  >(maxConfirmations);

  /** @param now - A clock that only goes forward, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @returns The token of a link that can be opened once, within `linkLifetimeMs`. */
  newLink(scope: Scope, onUsed: () => void): string {
    const token = newSecret();
    this.#links.renew(digestOf(token), { scope, until: this.#now() + linkLifetimeMs, onUsed });
    return token;
  }

  /**
   * @param readKey - What the browser brings along. If it is good it stays so, because all pages of a browser share one
   *   cookie: another would take away from the earlier pages what they may do.
   * @returns `undefined`: there is no such link, or it was used, or it is too old.
   */
  open(token: string, readKey?: string): Session | undefined {
    const digest = digestOf(token);
    const link = this.#links.get(digest);
    this.#links.delete(digest);
    if (!link || link.until < this.#now()) return undefined;
    const session: Session = {
      readKey: readKey !== undefined && this.mayRead(readKey) ? readKey : newSecret(),
      adminKey: link.scope === 'admin' ? newSecret() : undefined,
    };
    const adminKeys = this.#sessions.get(digestOf(session.readKey)) ?? new BoundedMap<string, true>(maxPagesOfSession);
    if (session.adminKey !== undefined) adminKeys.renew(digestOf(session.adminKey), true);
    this.#sessions.renew(digestOf(session.readKey), adminKeys);
    link.onUsed();
    return session;
  }

  mayRead(readKey: string | undefined): boolean {
    return readKey !== undefined && this.#sessions.has(digestOf(readKey));
  }

  /** Both keys have to be of the same session. */
  mayAct(readKey: string | undefined, adminKey: string | undefined): boolean {
    if (readKey === undefined || adminKey === undefined) return false;
    return this.#sessions.get(digestOf(readKey))?.has(digestOf(adminKey)) ?? false;
  }

  /** @returns What confirms this action, once, within `confirmationLifetimeMs`, for who has this key. */
  newConfirmation(adminKey: string, action: AdminAction): string {
    const id = newSecret();
    const until = this.#now() + confirmationLifetimeMs;
    this.#confirmations.renew(digestOf(id), { adminDigest: digestOf(adminKey), action, until });
    return id;
  }

  /** `undefined`: nobody was asked, somebody else was, it was done already, or it is too long ago. */
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

/** Looked up by digest, so that the time a look-up takes says nothing about what would have been right. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
