import { findHost } from './adapters/all-hosts.js';
import type { HostAdapter, OffSwitch } from './adapters/host-adapter.js';
import { isList, isObject, type JsonValue } from './edit/document.js';
import { findHostFile } from './files/find-host-file.js';
import { hostFilePaths } from './files/host-file-paths.js';
import { readJsonValue } from './files/read-json-value.js';
import { type HostPlace, type KeyPlace, keysOf, pathsOf } from './place/host-place.js';

/** Returns true for a server that the host has switched off outside of its entry. */
export async function switchedOff(
  { switches = [] }: HostAdapter,
  place: HostPlace & KeyPlace,
): Promise<(server: string) => boolean> {
  const rules = await Promise.all(switches.map((each) => ruleOf(each, place)));
  return (server) => rules.some((isOff) => isOff(server));
}

const nothingIsOff = () => false;

async function ruleOf(
  { beside, file, keyPath, lists }: OffSwitch,
  place: HostPlace & KeyPlace,
): Promise<(name: string) => boolean> {
  const adapter = findHost(beside);
  const found = await findHostFile(await hostFilePaths(adapter, place));
  if (found === undefined) return nothingIsOff;
  const { join, dirname } = pathsOf(place.platform);
  const path = file === undefined ? found.chosen.path : join(dirname(found.chosen.path), ...file.split('/'));
  const value = await readJsonValue(path, keysOf(keyPath, place));
  if (lists === 'states') return (name) => isOff(value, name.toLowerCase().trim());
  return isList(value) ? (name) => value.includes(name) === (lists === 'off') : nothingIsOff;
}

function isOff(states: JsonValue | undefined, name: string): boolean {
  const state = isObject(states) && Object.hasOwn(states, name) ? states[name] : undefined;
  return isObject(state) && state.enabled === false;
}
