import { isForbiddenKey } from '@x/internal/json';
import { shownName } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import type { HostServer } from '../host-server.js';

/** @throws {TypeError} A name or text is invalid in any file, or two servers have the same name. */
export function checkServers(ours: readonly HostServer[]): void {
  const names = new Set<string>();
  for (const server of ours) {
    const { name } = server;
    if (typeof name !== 'string' || !shownName.test(name) || isForbiddenKey(name)) {
      throw new TypeError(`ours contains a server named ${quoted(String(name))}: use 1 to 128 printable characters`);
    }
    if (names.has(name)) throw new TypeError(`ours contains two servers named ${quoted(name)}: rename one`);
    names.add(name);
    checkTexts(server);
  }
}

function checkTexts(server: HostServer): void {
  for (const [field, texts] of Object.entries(textsOf(server))) {
    const keys = typeof texts === 'object' && !Array.isArray(texts) ? Object.keys(texts) : [];
    const values = typeof texts === 'object' ? Object.values(texts) : [texts];
    const place = `the ${field} of ${quoted(server.name)}`;
    const bad = keys.find((key) => isForbiddenKey(key) || key === '');
    if (bad !== undefined) throw new TypeError(`ours has the key ${quoted(bad)} in ${place}: use another key`);
    if ([...keys, ...values].some((text) => typeof text !== 'string' || /[\0\p{Surrogate}]/u.test(text))) {
      throw new TypeError(`ours has a value in ${place} that is not valid text: remove NUL and lone surrogates`);
    }
  }
}

function textsOf(
  server: HostServer,
): Readonly<Record<string, string | readonly string[] | Readonly<Record<string, string>>>> {
  if (server.transport !== 'stdio') return { url: server.url, headers: server.headers ?? {} };
  const { command, args = [], env = {}, cwd = '' } = server;
  return { command, args, env, cwd };
}
