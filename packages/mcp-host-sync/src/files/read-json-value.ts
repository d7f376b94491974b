import { isObject, type JsonValue } from '../edit/document.js';
import { readEntries } from '../edit/edit-entries.js';
import { isHostFileError } from '../host-error.js';
import { readHostText } from './read-host-text.js';

/** A value of a JSON file of a host. `undefined` also for a file that cannot be read, which the host ignores, too. */
export async function readJsonValue(path: string, keyPath: readonly string[]): Promise<JsonValue | undefined> {
  try {
    return valueAt((await readHostText(path)) ?? '', keyPath);
  } catch (error) {
    if (isHostFileError(error)) return undefined;
    throw error;
  }
}

function valueAt(text: string, keyPath: readonly string[]): JsonValue | undefined {
  const body = text.replace(/^\uFEFF/, '');
  if (body.trim() === '') return undefined;
  const shape = { dialect: 'jsonc', keyPath: ['file'], collection: 'map' } as const;
  let value: JsonValue | undefined = Object.fromEntries(readEntries(`{"file":${body}\n}`, shape));
  for (const key of keyPath) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}
