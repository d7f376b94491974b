import { isBuiltin } from 'node:module';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Lets packages that become part of the build have what Node brings: where they are CommonJS, there is no `require` for
 * them. `process` is taken as it stands, because importing it opens stdin, for which only commands that read it should wait.
 * Of `child_process` they get nothing: commander needs it for commands that are programs of their own, which ours are not.
 */
export function builtins(): Plugin {
  return {
    name: 'builtins',
    setup(build) {
      build.onResolve({ filter: /^(node:)?process$/ }, ({ path, kind }) => ({ path, namespace: kind }));
      build.onResolve({ filter: /^/ }, ({ path, kind }) =>
        kind === 'require-call' && isBuiltin(path) ? { path, namespace: kind } : undefined,
      );
      build.onLoad({ filter: /^/, namespace: 'import-statement' }, () => ({ contents: 'export default process;' }));
      build.onLoad({ filter: /^/, namespace: 'require-call' }, ({ path }) => ({
        contents: `module.exports = ${contentsOf(path.replace('node:', ''))};`,
      }));
    },
  };
}

function contentsOf(module: string): string {
  if (module === 'process') return 'process';
  return module === 'child_process' ? '{}' : `process.getBuiltinModule('node:${module}')`;
}
