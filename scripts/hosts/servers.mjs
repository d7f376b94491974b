// What is written into a host, and what the host's start of it must look like. Each case stands for facts of an adapter.
import { fileURLToPath } from 'node:url';

const probe = fileURLToPath(new URL('stdio-probe.mjs', import.meta.url));

/** Value of the variable that programs are started with. */
export const variable = { name: 'P_FROM_ENV', value: 'v1' };
const reference = `\${${variable.name}}`;

/**
 * @param {{ log: string, web: string, folder: string }} where - Log of the stdio probe, address of the web probe, and an
 * existing folder for the working directory.
 * @returns {{ facts: string[], server: object, args?: string[], env?: object, cwd?: string, headers?: object, off?: true }[]}
 */
export function hostCases({ log, web, folder }) {
  const stdio = (facts, name, { args = [], env = {}, ...more }, expected = {}) => ({
    facts,
    server: { name, transport: 'stdio', command: process.execPath, args: [probe, log, name, ...args], env, ...more },
    args,
    env,
    ...expected,
  });
  const remote = (facts, name, transport, headers, expected = {}) => ({
    facts,
    server: { name, transport, url: `${web}/${transport === 'sse' ? 'sse' : 'mcp'}/${name}`, headers },
    headers,
    ...expected,
  });
  const hostile = ['a b', 'it\'s "q"', 'C:\\d\\', ';|&<>()', 'ä', '#', '%PATH%', '~', '*?[a]{b,c}!', '', 'A=1'];
  return [
    stdio(['place', 'stdio'], 'plain', { args: ['one'] }),
    ...['two words', 'a.b/c', 'ünï'].map((name) => stdio(['stdio'], name, { args: ['one'] })),
    stdio(['args', 'env'], 'hostile', { args: hostile, env: { P_X: '& < > " \' #', P_LINES: 'one\ntwo' } }),
    stdio(['args'], 'dollar', { args: ['cost $5', '$(id)', '`id`', '$HOME'] }),
    stdio(['env'], 'empty', { env: { P_EMPTY: '' } }),
    stdio(['cwd'], 'folder', { cwd: folder }, { cwd: folder }),
    stdio(['variables'], 'filled-args', { args: [`in-${reference}`] }, { args: [`in-${variable.value}`] }),
    stdio(['variables'], 'filled-env', { env: { P_V: `in-${reference}` } }, { env: { P_V: `in-${variable.value}` } }),
    stdio(['off'], 'off', { enabled: false }, { off: true }),
    remote(['http', 'headers'], 'web', 'http', { 'X-Plain': 'a=b "q"' }, { headers: { 'x-plain': 'a=b "q"' } }),
    remote(['sse'], 'events', 'sse', {}),
    remote(
      ['variables'],
      'filled-header',
      'http',
      { 'X-V': `in-${reference}` },
      { headers: { 'x-v': `in-${variable.value}` } },
    ),
  ];
}

/** An entry that the host's own command adds: name and words. */
export function ownEntry(log) {
  return { name: 'own', words: [process.execPath, probe, log, 'own'] };
}
