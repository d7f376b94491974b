import { readFileSync } from 'node:fs';

/**
 * Help or version as the build has rendered it, so that the program need not be loaded.
 *
 * @param directory - Missing in the sources, where nothing is prepared.
 * @returns `undefined`: the command must run.
 */
export function preparedAnswer(
  argv: readonly string[],
  { directory, columns }: { readonly directory: URL; readonly columns: number | undefined },
): string | undefined {
  const name = argv.length > 1 ? undefined : nameOf(argv[0], columns);
  if (name === undefined) return undefined;
  try {
    return readFileSync(new URL(name, directory), 'utf8');
  } catch {
    return undefined; // a package without these files works, only slower
  }
}

function nameOf(word: string | undefined, columns = 100): string | undefined {
  switch (word) {
    case '--version':
    case '-V':
      return 'version.txt';
    case undefined:
    case 'help':
    case '--help':
    case '-h':
      return columns >= 100 ? 'help-100.txt' : columns >= 80 ? 'help-80.txt' : undefined;
    default:
      return undefined;
  }
}
