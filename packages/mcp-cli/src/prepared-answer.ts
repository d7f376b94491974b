import { readFileSync } from 'node:fs';

/**
 * Output that the build has rendered because it depends on the words only: help and version, without loading the
 * program.
 *
 * @param directory - Output of the build. In the sources it is missing, and nothing is prepared.
 * @param columns - Width of the terminal, if it is one.
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
