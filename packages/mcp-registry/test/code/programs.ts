import { textOf } from '@x/test-servers';
import { type CodeOptions, type CodeRunner, openCodeRunner } from '../../src/code.js';
import { createConstantSurface, createRegistry, type Registry, type RegistryView } from '../../src/index.js';

export interface Programs extends AsyncDisposable {
  readonly registry: Registry;
  readonly code: CodeRunner;
  /** Runs one program, and gives the text of its answer. */
  run(program: string): Promise<string>;
  runOn(view: RegistryView, program: string, options?: { readonly signal?: AbortSignal }): Promise<string>;
}

/** A registry with tools for programs, and a runner. */
export async function openPrograms(options?: CodeOptions): Promise<Programs> {
  const registry = createRegistry({ roles: [{ role: 'adder', allowedTools: ['add'] }] });
  registry.register({ name: 'add', description: 'Adds' }, ({ a, b }) => ({ sum: Number(a) + Number(b) }));
  registry.register({ name: 'echo', description: 'Gives its arguments' }, (args) => ({ ...args }));
  registry.register({ name: 'text', description: 'Gives a text' }, ({ length = 5 }) => 'x'.repeat(Number(length)));
  registry.register({ name: 'fail', description: 'Fails' }, () => {
    throw new Error('the disk is full');
  });
  const code = await openCodeRunner(options);
  const runOn: Programs['runOn'] = async (view, program, callOptions) => {
    const surface = createConstantSurface(view, { code });
    return textOf(await surface.call('execute_mcp_code', { code: program }, callOptions));
  };
  return {
    registry,
    code,
    runOn,
    run: (program) => runOn(registry, program),
    [Symbol.asyncDispose]: async () => {
      await code.close();
      await registry.close();
    },
  };
}
