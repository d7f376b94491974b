import { z } from 'zod';
import { expectation } from '../schema/expectation.js';
import { filledText, openMapping } from '../schema/fields.js';

const variableError = expectation('the name of an environment variable: letters, digits and "_"');

/** `extension.toml`, `.yaml` or `.json`: the keys about MCP. Other keys belong to the extension installer. */
export const extensionManifestSchema = openMapping(
  () => ({
    provides: openMapping(
      () => ({
        mcp: filledText('the path of a file in the extension').optional().describe('File that lists MCP servers'),
      }),
      'a mapping of what the extension provides',
    )
      .optional()
      .describe('What the extension provides'),
    root_variable: z
      .string({ error: variableError })
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: variableError })
      .optional()
      .describe('Environment variable in which servers of the extension expect the root of the project'),
  }),
  'a mapping that describes an extension',
);

/** The manifest of an extension. */
export type ExtensionManifest = z.infer<typeof extensionManifestSchema>;
