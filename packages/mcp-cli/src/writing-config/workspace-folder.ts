import type { ServerEntry } from './host-entry.js';

/** The folder that is open in an app, which an entry contains as literal text. */
export const writtenFolder = '$${workspaceFolder}';

/** @param template - What a config has in its place, such as `{{root}}`. */
export function withWorkspaceFolder(entry: ServerEntry, template: string): ServerEntry {
  const written = JSON.stringify(template).slice(1, -1);
  return JSON.parse(JSON.stringify(entry).replaceAll(writtenFolder, () => written)) as ServerEntry;
}
