import { findHost } from './adapters/all-hosts.js';
import type { HostAdapter, OffSwitch } from './adapters/host-adapter.js';
import { isList, isObject, type JsonValue } from './edit/document.js';
import { readEntries } from './edit/edit-entries.js';
import { findHostFile } from './files/find-host-file.js';
import { readHostText } from './files/read-host-text.js';
import { isHostFileError } from './host-error.js';
import { adapterPaths } from './place/host-paths.js';
import { type HostPlace, keysOf, pathsOf } from './place/host-place.js';

/** Returns true for a server that the host has switched off outside of its entry. */
export async function switchedOff(
  { switches = [] }: HostAdapter,
  place: HostPlace,
): Promise<(server: string) => boolean> {
  const rules = await Promise.all(switches.map((each) => ruleOf(each, place)));
  return (server) => rules.some((isOff) => isOff(server));
}

const nothingIsOff = () => false;

async function ruleOf(
  { beside, file, keyPath, lists }: OffSwitch,
  place: HostPlace,
): Promise<(name: string) => boolean> {
  const adapter = findHost(beside);
  const found = await findHostFile(adapterPaths(adapter, place));
  if (found === undefined) return nothingIsOff;
  const { join, dirname } = pathsOf(place.platform);
  const path = file === undefined ? found.chosen.path : join(dirname(found.chosen.path), ...file.split('/'));
  const value = valueAt(await textOf(path), keysOf(keyPath, place));
  if (lists === 'states') return (name) => isOff(value, name.toLowerCase().trim());
  return isList(value) ? (name) => value.includes(name) === (lists === 'off') : nothingIsOff;
}

function isOff(states: JsonValue | undefined, name: string): boolean {
  const state = isObject(states) && Object.hasOwn(states, name) ? states[name] : undefined;
  return isObject(state) && state.enabled === false;
}

/** Empty for a file that cannot be read, which the host ignores, too. */
async function textOf(path: string): Promise<string> {
  try {
    return (await readHostText(path)) ?? '';
  } catch (error) {
    if (isHostFileError(error)) return '';
    throw error;
  }
}

function valueAt(text: string, keyPath: readonly string[]): JsonValue | undefined {
  const body = text.replace(/^\uFEFF/, '');
  if (body.trim() === '') return undefined;
  try {
    const shape = { dialect: 'jsonc', keyPath: ['file'], collection: 'map' } as const;
    let value: JsonValue | undefined = Object.fromEntries(readEntries(`{"file":${body}\n}`, shape));
    for (const key of keyPath) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    return value;
  } catch (error) {
    if (isHostFileError(error)) return undefined;
    throw error;
  }
}
