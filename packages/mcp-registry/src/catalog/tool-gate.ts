import type { SourceTools, ToolEntry } from './snapshot.js';

/** Decides which of the listed tools exist. Tools that it holds back get no name, no entry and no index. */
export interface ToolGate {
  /** The admitted part of all listings; the same object for a listing that is admitted whole. */
  admit(listings: readonly SourceTools[]): readonly SourceTools[];
  /** Called when reads show the tools that `admit` returned. */
  swapped(): void;
  /** Called again right before a tool is read or called. */
  isOpen(entry: ToolEntry): boolean;
  /** Resolves when all pending decisions are known. Never rejects. */
  settled(): Promise<void>;
}

/** Admits everything. */
export const OPEN_GATE: ToolGate = {
  admit: (listings) => listings,
  swapped: () => undefined,
  isOpen: () => true,
  settled: () => Promise.resolve(),
};
