import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { expect, test } from 'vitest';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));

/** What a module and all that it leads to import that is not part of this package, when types are gone. */
async function importsOf(name: string): Promise<readonly string[]> {
  const outDir = await mkdtemp(join(tmpdir(), 'mcpx-imports-'));
  try {
    await build({
      config: false,
      silent: true,
      entry: [join(packageFolder, 'src', `${name}.ts`)],
      outDir,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      tsconfig: join(packageFolder, 'tsconfig.json'),
    });
    const files = (await readdir(outDir)).filter((file) => file.endsWith('.js'));
    const texts = await Promise.all(files.map((file) => readFile(join(outDir, file), 'utf8')));
    const imported = texts.flatMap((text) =>
      Array.from(text.matchAll(/\bfrom ['"]([^'".][^'"]*)['"]/g), (match) => match[1] ?? ''),
    );
    return [...new Set(imported)];
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

test.each(['daemon/find-daemon', 'daemon/ensure-daemon', 'daemon/end-daemon', 'daemon-parent'])(
  '%s loads only modules of Node.js, so that a command reaches its daemon fast',
  async (name) => {
    const imported = await importsOf(name);
    expect(imported.length).toBeGreaterThan(0);
    expect(
      imported.filter(
        (specifier) =>
          !/^(node:)?(child_process|crypto|fs|fs\/promises|net|os|path|readline|timers\/promises|url|util)$/.test(
            specifier,
          ),
      ),
    ).toEqual([]);
  },
);
