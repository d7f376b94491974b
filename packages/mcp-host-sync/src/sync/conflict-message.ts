import { quoted } from '@x/internal/text';
import type { ConflictReason } from './decide-entry.js';

/** What a person reads about an entry that is left alone. */
export function conflictMessage(server: string, reason: ConflictReason): string {
  switch (reason) {
    case 'foreign-entry':
      return `There is an entry ${quoted(server)} that was not written here: rename the server, or use force`;
    case 'edited-entry':
      return `The entry ${quoted(server)} was changed since it was written here: adopt the change, or use force`;
    case 'removed-entry':
      return `The entry ${quoted(server)} was taken out since it was written here: drop the server, or use force`;
  }
}
