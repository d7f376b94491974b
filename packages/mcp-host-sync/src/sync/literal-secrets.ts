import { isNamedSecret, secretIn, secretsInWords } from '@x/internal/secrets';
import type { HostServer } from '../host-server.js';

/** Positions of literal secrets in a server: `env.TOKEN`, `args[1]`, `url`. */
export function literalSecrets(server: HostServer): readonly string[] {
  const found = server.transport === 'stdio' ? inCommand(server) : inRequests(server);
  return [...new Set([...found, ...placedTexts(server).map(({ place }) => place)])];
}

/** Texts with values of variables, which must not be displayed. */
export function sensitiveTexts(server: HostServer): readonly string[] {
  return placedTexts(server).map(({ text }) => text);
}

function inCommand({ command, args = [], env = {} }: HostServer & { readonly transport: 'stdio' }): readonly string[] {
  const inArguments = secretsInWords([command, ...args]).map(({ index }) =>
    index === 0 ? 'command' : `args[${index - 1}]`,
  );
  return [...inArguments, ...inFields('env', env)];
}

function inRequests({ url, headers = {} }: HostServer & { readonly transport: 'http' | 'sse' }): readonly string[] {
  return [...(secretIn(url) === undefined ? [] : ['url']), ...inFields('headers', headers)];
}

function inFields(field: string, texts: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    isNamedSecret(name, text) || secretIn(text) !== undefined ? [`${field}.${name}`] : [],
  );
}

function placedTexts(server: HostServer): readonly { readonly place: string; readonly text: string }[] {
  return (server.sensitive ?? []).flatMap(([field, key]) => {
    const held = Object.entries(server).find(([name]) => name === field)?.[1];
    const text: unknown =
      typeof held === 'object' && held !== null
        ? Object.entries(held).find(([name]) => name === String(key))?.[1]
        : held;
    if (typeof text !== 'string' || field === 'name') return [];
    const place = key === undefined ? String(field) : typeof key === 'number' ? `${field}[${key}]` : `${field}.${key}`;
    return [{ place, text }];
  });
}
