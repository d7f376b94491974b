import type { SourceTools, ToolEntry } from './snapshot.js';

/** Decides which listed tools exist. The others get no name, entry or index. */
export interface ToolGate {
  /** The admitted part of all listings. A listing that is admitted whole stays the same object. */
  admit(listings: readonly SourceTools[]): readonly SourceTools[];
  swapped(): void;
  /** Called before each read or call of a tool. */
  isOpen(entry: ToolEntry): boolean;
  /** Resolves when no decision is pending. Never rejects. */
  settled(): Promise<void>;
}

export const OPEN_GATE: ToolGate = {
  admit: (listings) => listings,
  swapped: () => undefined,
  isOpen: () => true,
  settled: () => Promise.resolve(),
};
