import { peekTools } from '@x/internal/views';
import type { Audience } from '../audiences.js';
import type { Collision } from '../parts/collision.js';
import { asIsListing } from './as-is-tools.js';

/** Reports each tool name of several servers once, while they collide. */
export class ToolCollisions {
  readonly #all: Audience;
  readonly #report: (collision: Collision) => void;
  readonly #following: Disposable;
  #told: ReadonlySet<string> = new Set();
  #isAsked = false;

  /** @param all - The audience that may use everything. */
  constructor(all: Audience, report: (collision: Collision) => void) {
    this.#all = all;
    this.#report = report;
    this.#following = all.tools.events.on('tools-changed', () => this.#look());
  }

  /** Later collisions are reported as they arise, even without a listing. */
  ask(): readonly Collision[] {
    const collisions = collisionsOf(this.#all);
    this.#told = namesOf(collisions);
    this.#isAsked = true;
    return collisions;
  }

  note(listed: Audience): void {
    const news = collisionsOf(listed).filter(({ name }) => !this.#told.has(name));
    if (news.length === 0) return;
    this.#told = new Set([...this.#told, ...namesOf(news)]);
    for (const collision of news) this.#report(collision);
  }

  close(): void {
    this.#following[Symbol.dispose]();
  }

  #look(): void {
    // Reading assigns names to their first owners, so it waits until servers have started.
    if (!this.#isAsked && this.#told.size === 0) return;
    const collisions = collisionsOf(this.#all);
    const told = this.#told;
    const isTold = ({ name }: Collision) => told.has(name);
    // A name that stops colliding can be reported again.
    this.#told = namesOf(this.#isAsked ? collisions : collisions.filter(isTold));
    if (!this.#isAsked) return;
    for (const collision of collisions) if (!isTold(collision)) this.#report(collision);
  }
}

function collisionsOf({ tools, names }: Audience): readonly Collision[] {
  return asIsListing(peekTools(tools), names.tools).collisions;
}

function namesOf(collisions: readonly Collision[]): ReadonlySet<string> {
  return new Set(collisions.map(({ name }) => name));
}
