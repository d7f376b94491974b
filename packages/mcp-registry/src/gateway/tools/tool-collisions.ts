import { peekTools } from '../../views/peek-tools.js';
import type { RegistryView } from '../../views/view.js';
import type { Collision } from '../parts/merge-parts.js';
import { asIsListing } from './as-is-tools.js';

/** Tells of tools that several servers name the same: once for as long as they do. */
export class ToolCollisions {
  readonly #all: RegistryView;
  readonly #report: (collision: Collision) => void;
  readonly #following: Disposable;
  /** Names that were told, by a report or by an answer. */
  #told: ReadonlySet<string> = new Set();
  #isAsked = false;

  /** @param all - Every tool, under its public name. */
  constructor(all: RegistryView, report: (collision: Collision) => void) {
    this.#all = all;
    this.#report = report;
    this.#following = all.events.on('tools-changed', () => this.#look());
  }

  /** Those that there are. Others are reported from now on as they arise, whether or not anybody lists tools. */
  ask(): readonly Collision[] {
    const { collisions } = asIsListing(peekTools(this.#all));
    this.#told = namesOf(collisions);
    this.#isAsked = true;
    return collisions;
  }

  /** Reports what is left out of a listing, as far as nobody was told. */
  note(listed: RegistryView): void {
    const { collisions } = asIsListing(peekTools(listed));
    const news = collisions.filter(({ name }) => !this.#told.has(name));
    if (news.length === 0) return;
    this.#told = new Set([...this.#told, ...namesOf(news)]);
    for (const collision of news) this.#report(collision);
  }

  close(): void {
    this.#following[Symbol.dispose]();
  }

  #look(): void {
    const { collisions } = asIsListing(peekTools(this.#all));
    const told = this.#told;
    const isTold = ({ name }: Collision) => told.has(name);
    // What does not collide any more is told again when it does.
    this.#told = namesOf(this.#isAsked ? collisions : collisions.filter(isTold));
    if (!this.#isAsked) return;
    for (const collision of collisions) if (!isTold(collision)) this.#report(collision);
  }
}

function namesOf(collisions: readonly Collision[]): ReadonlySet<string> {
  return new Set(collisions.map(({ name }) => name));
}
