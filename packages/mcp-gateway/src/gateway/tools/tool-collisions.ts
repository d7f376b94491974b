import { peekTools } from '@x/internal/views';
import type { Audience } from '../audiences.js';
import type { Collision } from '../parts/collision.js';
import { asIsListing } from './as-is-tools.js';

/** Tells of tools that several servers name the same: once for as long as they do. */
export class ToolCollisions {
  readonly #all: Audience;
  readonly #report: (collision: Collision) => void;
  readonly #following: Disposable;
  /** Names that were told, by a report or by an answer. */
  #told: ReadonlySet<string> = new Set();
  #isAsked = false;

  /** @param all - Those who may use everything. */
  constructor(all: Audience, report: (collision: Collision) => void) {
    this.#all = all;
    this.#report = report;
    this.#following = all.tools.events.on('tools-changed', () => this.#look());
  }

  /** Those that there are. Others are reported from now on as they arise, whether or not anybody lists tools. */
  ask(): readonly Collision[] {
    const collisions = collisionsOf(this.#all);
    this.#told = namesOf(collisions);
    this.#isAsked = true;
    return collisions;
  }

  /** Reports what is left out of a listing, as far as nobody was told. */
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
    // Whoever looks gives names to their first owners: not while servers start, one after the other.
    if (!this.#isAsked && this.#told.size === 0) return;
    const collisions = collisionsOf(this.#all);
    const told = this.#told;
    const isTold = ({ name }: Collision) => told.has(name);
    // What does not collide any more is told again when it does.
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
