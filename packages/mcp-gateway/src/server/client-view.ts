import { peekTools } from '@x/internal/views';
import type { RegistryView } from '../registry.js';
import { isSameListing, watchListing } from '../serving/tool-listing.js';

/** The view of one connection, replaced when its client's role changes. */
export class ClientView {
  #current: RegistryView;
  #onChange: (() => void) | undefined;
  #watching: Disposable | undefined;
  #onAccess: (() => void) | undefined;
  #watchingAccess: Disposable | undefined;

  constructor(view: RegistryView) {
    this.#current = view;
  }

  get current(): RegistryView {
    return this.#current;
  }

  replace(view: RegistryView): void {
    if (view === this.#current) return;
    const isSame = isSameListing(peekTools(this.#current), peekTools(view));
    this.#current = view;
    if (this.#onAccess !== undefined) this.watchAccess(this.#onAccess);
    if (this.#onChange === undefined) return;
    this.watch(this.#onChange);
    if (!isSame) this.#onChange();
  }

  watch(onChange: () => void): void {
    this.#endListing();
    this.#onChange = onChange;
    this.#watching = watchListing(this.#current, onChange);
  }

  watchAccess(onAccess: () => void): void {
    this.#watchingAccess?.[Symbol.dispose]();
    this.#onAccess = onAccess;
    this.#watchingAccess = this.#current.events.on('access-changed', onAccess);
  }

  end(): void {
    this.#watchingAccess?.[Symbol.dispose]();
    this.#watchingAccess = undefined;
    this.#onAccess = undefined;
    this.#endListing();
  }

  #endListing(): void {
    this.#watching?.[Symbol.dispose]();
    this.#watching = undefined;
    this.#onChange = undefined;
  }
}
