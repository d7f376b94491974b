import { isRecord } from '@x/internal/json';
import { countChanges } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import * as z from 'zod';
import type { ConfigPath } from '../issues.js';
import { checkShape } from '../schema/check-shape.js';
import { expectation, filledText, openMapping } from '../schema/fields.js';
import { withoutNulls } from '../schema/schema-parts.js';
import { valueAt } from '../schema/values.js';
import type { SourceText } from '../source/source-text.js';
import { staysInside } from './inside-folder.js';

/** Parses a manifest. Reports all faults and then returns `undefined`. */
export function readManifest(source: SourceText): ExtensionManifest | undefined {
  if (!source.isReadable) return undefined;
  source.prune((root) => withoutNulls(extensionManifestSchema, root));
  const data = source.value();
  if (source.keys([]).includes('provides.mcp')) {
    const hint = 'write it as a map: "provides" with the key "mcp"';
    const message = '"provides.mcp" is one key here, not two';
    source.report({ code: 'unknown-key', severity: 'error', message, key: 'provides.mcp', hint }, ['provides.mcp'], {
      part: 'key',
    });
    return undefined;
  }
  warnOfMisspelt(source, [], { provides: isRecord, root_variable: isText });
  warnOfMisspelt(source, ['provides'], { mcp: isText });
  const manifest = checkShape(extensionManifestSchema, data, source);
  const mcp = manifest?.provides?.mcp;
  if (mcp === undefined || staysInside(mcp)) return manifest;
  reportOutside(source, mcp);
  return undefined;
}

/** Other keys belong to the extension installer. A similar key with a matching value is probably a typing error. */
function warnOfMisspelt(source: SourceText, path: ConfigPath, known: Readonly<Record<string, Test>>): void {
  const keys = source.keys(path);
  const missing = Object.keys(known).filter((key) => !keys.includes(key));
  for (const key of keys) {
    const didYouMean = Object.hasOwn(known, key) ? undefined : misspelledName(key, missing);
    if (didYouMean === undefined || known[didYouMean]?.(valueAt(source.value(), [...path, key])) !== true) continue;
    const message = `${quoted(key)} is not a known key, but similar to ${quoted(didYouMean)}`;
    const hint = `did you mean ${quoted(didYouMean)}?`;
    const fault = { code: 'unknown-key', severity: 'warning', message, key, didYouMean, hint } as const;
    source.report(fault, [...path, key], { part: 'key' });
  }
}

type Test = (value: unknown) => boolean;

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

export const mcpPath = ['provides', 'mcp'];

export function reportOutside(source: SourceText, given: string): void {
  const message = 'The file with MCP servers is outside of the extension';
  const hint = 'use a path below the folder of the manifest, also after links are resolved';
  source.report({ code: 'outside-extension', severity: 'error', message, given, hint }, mcpPath);
}

/** Longer names cannot match, because candidates are short. */
const longestName = 64;

/** Short names must have the same letters, because one different letter often makes another word. */
function misspelledName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined;
  for (const candidate of candidates) {
    const isShort = Math.min(name.length, candidate.length) < 5;
    const most = isShort ? 1 : 2;
    if (countChanges(name.toLowerCase(), candidate.toLowerCase(), most) > most) continue;
    if (!isShort || name.length !== candidate.length || lettersOf(name) === lettersOf(candidate)) return candidate;
  }
  return undefined;
}

function lettersOf(name: string): string {
  return [...name.toLowerCase()].sort().join('');
}

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

type ExtensionManifest = z.infer<typeof extensionManifestSchema>;
