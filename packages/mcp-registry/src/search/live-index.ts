import type { Snapshot } from '../catalog/snapshot.js';
import { diffDocuments } from './document-changes.js';
import { KeywordIndex } from './keyword-index.js';
import { toSearchDocument } from './search-document.js';
import { type FollowedTools, SnapshotFollower } from './snapshot-follower.js';
import { WholeNames } from './whole-names.js';

/** Index of the tools of one view. Built by the first search, then updated. */
export class LiveIndex {
  readonly words = new KeywordIndex();
  readonly names = new WholeNames();
  readonly #follower = new SnapshotFollower((before, after) => this.#learn(before, after));

  /** Calls `use` while the index matches the current tools. */
  when<T>(tools: FollowedTools, use: (snapshot: Snapshot) => T): Promise<T> {
    return this.#follower.when(tools, use);
  }

  *#learn(before: Snapshot, after: Snapshot): Generator<undefined, void> {
    const { removed, added } = diffDocuments(before, after);
    for (const { view } of removed) {
      this.names.remove(view);
      this.words.remove(view.name);
      yield;
    }
    for (const { view } of added) {
      this.names.add(view);
      this.words.add(toSearchDocument(view));
      yield;
    }
  }
}
