import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/**
 * What is loaded with an entry: the packages that its files import, but not what they load later with `import()`. What is
 * bundled counts as its files.
 */
async function loadedWith(file: URL, seen = new Set<string>(), packages = new Set<string>()): Promise<Set<string>> {
  seen.add(file.href);
  const text = await readFile(file, 'utf8');
  for (const [, isType, specifier = ''] of text.matchAll(/^(?:import|export)( type)?\s[^;]*?from '([^']+)';/gm)) {
    const bundled = /^@x\/internal\/([\w-]+)$/.exec(specifier)?.[1];
    const next = bundled
      ? new URL(`../../internal/src/${bundled}.ts`, import.meta.url)
      : new URL(specifier.replace(/\.js$/, '.ts'), file);
    if (isType !== undefined || seen.has(next.href)) continue;
    if (bundled || specifier.startsWith('.')) await loadedWith(next, seen, packages);
    else packages.add(specifier);
  }
  return packages;
}

test('a host that starts no server loads neither the protocol SDK nor anything else that is heavy', async () => {
  const loaded = await loadedWith(new URL('../src/index.ts', import.meta.url));

  expect([...loaded].filter((name) => !name.startsWith('node:'))).toEqual([]);
  expect(loaded).not.toContain('node:http');
});

test.each(['open-stdio-session', 'open-in-process-session'])(
  '%s loads neither the protocol SDK nor zod',
  async (module) => {
    const loaded = await loadedWith(new URL(`../src/session/${module}.ts`, import.meta.url));

    expect([...loaded].filter((name) => !name.startsWith('node:'))).toEqual([]);
  },
);

test('a session over HTTP does load the protocol SDK', async () => {
  const loaded = await loadedWith(new URL('../src/session/open-http-session.ts', import.meta.url));

  expect(loaded).toContain('@modelcontextprotocol/client');
});
