import { isRecord } from '@x/internal/json';
import { quoted } from '@x/internal/text';
import type { ConfigPath } from '../issues.js';
import { misspeltName } from '../misspelt-name.js';
import { checkShape } from '../schema/check-shape.js';
import { valueAt } from '../schema/value-at.js';
import type { SourceText } from '../source/source-text.js';
import { staysInside } from './inside-folder.js';
import { type ExtensionManifest, extensionManifestSchema } from './manifest-schema.js';

/** What a manifest says; `undefined` after every fault of it has been reported in its place. */
export function readManifest(source: SourceText): ExtensionManifest | undefined {
  if (!source.isReadable) return undefined;
  const data = source.value();
  if (source.keys([]).includes('provides.mcp')) {
    const hint = 'write it as a mapping: "provides", and in it "mcp"';
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

/**
 * Other keys belong to whoever installs extensions. One that is nearly a key of ours, with a value as ours has it, is
 * more likely a slip, and without a word there would be no servers.
 */
function warnOfMisspelt(source: SourceText, path: ConfigPath, known: Readonly<Record<string, Test>>): void {
  const keys = source.keys(path);
  const missing = Object.keys(known).filter((key) => !keys.includes(key));
  for (const key of keys) {
    const didYouMean = Object.hasOwn(known, key) ? undefined : misspeltName(key, missing);
    if (didYouMean === undefined || known[didYouMean]?.(valueAt(source.value(), [...path, key])) !== true) continue;
    const message = `${quoted(key)} is not read here, and is nearly ${quoted(didYouMean)}`;
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
  const message = 'The file with MCP servers lies outside of the extension';
  const hint = 'give a path that starts in the folder of the manifest and stays in it, links included';
  source.report({ code: 'outside-extension', severity: 'error', message, given, hint }, mcpPath);
}
