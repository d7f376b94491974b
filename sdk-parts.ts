import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Replaces the part of a protocol SDK for its platform, which holds a validator of JSON Schema: a third of the SDK's code,
 * which only its own client and server use. The build fails if the SDK takes anything from there that `contents` lacks.
 *
 * @param contents - Exports in its place, without the validator.
 */
export function sdkWithoutValidator(sdk: 'client' | 'server', contents: string): Plugin {
  const namespace = 'sdk-without-validator';
  return {
    name: namespace,
    setup(build) {
      const filter = new RegExp(`^@modelcontextprotocol/${sdk}/_shims$`);
      build.onResolve({ filter }, ({ path }) => ({ path, namespace }));
      build.onLoad({ filter, namespace }, () => ({
        contents: `export class DefaultJsonSchemaValidator {} ${contents}`,
      }));
    },
  };
}
