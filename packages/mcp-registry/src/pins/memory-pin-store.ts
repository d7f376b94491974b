import { applyPinChanges } from './apply-pin-changes.js';
import { checkPins } from './check-pins.js';
import type { PinStore, Pins } from './pin-store.js';

/** Keeps pins in memory. */
export function createMemoryPinStore(pins: Pins = []): PinStore {
  let kept = pins;
  return {
    load: () => kept,
    save: (changes) => {
      kept = checkPins(applyPinChanges(kept, changes));
      return kept;
    },
  };
}

/** @throws {TypeError} `store` is not a pin store. */
export function checkPinStore(store: PinStore = createMemoryPinStore()): PinStore {
  if (typeof store?.load !== 'function' || typeof store.save !== 'function') {
    throw new TypeError('pinStore must have the methods load and save');
  }
  return store;
}
