import { readFile } from 'node:fs/promises';

/** Modules that an entry loads. */
export interface CollectedImports {
  /** Text of each own module, by URL. */
  readonly texts: ReadonlyMap<string, string>;
  /** Imported packages, sorted. */
  readonly packages: readonly string[];
}

/**
 * Follows the imports of a source file. Modules of the private package, which is bundled, count as own ones.
 *
 * @param internal - Folder `src` of the private package.
 * @param options.late - Also follows `import()`. Default `false`.
 */
export async function collectImports(
  entry: URL,
  internal: URL,
  { late = false }: { readonly late?: boolean } = {},
): Promise<CollectedImports> {
  const texts = new Map<string, string>();
  const packages = new Set<string>();
  const visit = async (module: URL): Promise<void> => {
    const text = await readFile(module, 'utf8');
    texts.set(module.href, text);
    for (const specifier of [...staticImports(text), ...(late ? lateImports(text) : [])]) {
      const part = /^@x\/internal\/(.+)$/.exec(specifier)?.[1];
      const file = part ? new URL(`${part}.ts`, internal) : new URL(specifier.replace(/\.js$/, '.ts'), module);
      if (!part && !specifier.startsWith('.')) packages.add(specifier);
      else if (!texts.has(file.href)) await visit(file);
    }
  };
  await visit(entry);
  return { texts, packages: Array.from(packages).toSorted() };
}

function staticImports(text: string): readonly string[] {
  const all = Array.from(text.matchAll(/^(?:import|export)( type)?\s[^;]*?from '([^']+)';/gm));
  return all.flatMap(([, isType, specifier = '']) => (isType === undefined ? [specifier] : []));
}

function lateImports(text: string): readonly string[] {
  return Array.from(text.matchAll(/\bimport\('([^']+)'\)/g), ([, specifier = '']) => specifier);
}
