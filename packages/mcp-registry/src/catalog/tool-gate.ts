import type { SourceTools, ToolEntry } from './snapshot.js';

/** Decides which of the listed tools exist at all. What it holds back gets no name, no entry and no index. */
export interface ToolGate {
  /** What is let through of all listings; the very same object for a listing that is let through whole. */
  admit(listings: readonly SourceTools[]): readonly SourceTools[];
  /** Told when reads show what `admit` has let through. */
  swapped(): void;
  /** Asked again right before a tool is read or called. */
  isOpen(entry: ToolEntry): boolean;
  /** Resolves when it has learned all that it waits for. Never rejects. */
  settled(): Promise<void>;
}

/** Lets everything through. */
export const OPEN_GATE: ToolGate = {
  admit: (listings) => listings,
  swapped: () => undefined,
  isOpen: () => true,
  settled: () => Promise.resolve(),
};
