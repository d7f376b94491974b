import { readdir, readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';

/** Modules of Node that a bare process has not loaded. Their functions load them when they are called. */
const late: ReadonlySet<string> = new Set([
  'child_process',
  'crypto',
  'fs/promises',
  'http',
  'net',
  'readline',
  'tty',
  'worker_threads',
]);

const statement = /^import (?:([^'"]+) from )?['"]([^'"]+)['"];$/gm;

/**
 * Rewrites the imports of Node's own modules in a finished build, so that none is loaded before it is used. An `import`
 * reads every property of such a module, and some properties load further modules: 6 ms of a command.
 *
 * @param files - Those of the build that are finished.
 * @throws {Error} An import has a form that is not known here.
 */
export async function loadBuiltinsLate(dist: string, files: RegExp): Promise<void> {
  for (const file of await readdir(dist, { recursive: true })) {
    if (!files.test(file)) continue;
    const path = join(dist, file);
    const code = await readFile(path, 'utf8');
    const rewritten = code.replace(statement, (whole, names: string | undefined, module: string) =>
      isBuiltin(module) ? bindings(names ?? '', module) : whole,
    );
    if (rewritten !== code) await writeFile(path, rewritten);
  }
}

function bindings(names: string, module: string): string {
  const [, whole, list] = /^(?:(?:\* as )?([\w$]+))?(?:, )?(?:\{ (.+) \})?$/.exec(names.replace(/\s+/g, ' ')) ?? [];
  if (whole === undefined && list === undefined)
    throw new Error(`import ${names} from '${module}' is of no known form`);
  const access = `process.getBuiltinModule('${module}')`;
  return [
    ...(whole === undefined || whole === 'process' ? [] : [`const ${whole} = ${access};`]), // that one is global
    ...(list?.split(', ') ?? []).map((each) => {
      const [name = '', local = name] = each.split(' as ');
      return isFunction(module, name)
        ? `const ${local} = (...args) => ${access}.${name}(...args);`
        : `const ${local} = ${access}.${name};`;
    }),
  ].join(' ');
}

/** Classes are not: they are called with `new`. */
function isFunction(module: string, name: string): boolean {
  if (!late.has(module.replace('node:', '')) || !/^[a-z]/.test(name)) return false;
  const builtin = process.getBuiltinModule(module) as Readonly<Record<string, unknown>>;
  return typeof builtin[name] === 'function';
}
