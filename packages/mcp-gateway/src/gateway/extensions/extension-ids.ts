import { APPS_EXTENSION } from '@x/internal/app-tools';
import { TASKS_EXTENSION } from '../tasks/task-messages.js';

export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

/** Offered for any number of servers, whether they have the extensions or not. */
export const ownExtensions = Object.freeze({
  [APPS_EXTENSION]: Object.freeze({}),
  [SKILLS_EXTENSION]: Object.freeze({ directoryRead: true }),
});

export function isKnownExtension(id: string): boolean {
  return id === TASKS_EXTENSION || Object.hasOwn(ownExtensions, id);
}
