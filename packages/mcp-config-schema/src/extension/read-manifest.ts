import { checkShape } from '../schema/check-shape.js';
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
  const manifest = checkShape(extensionManifestSchema, data, source);
  const mcp = manifest?.provides?.mcp;
  if (mcp === undefined || staysInside(mcp)) return manifest;
  reportOutside(source, mcp);
  return undefined;
}

export const mcpPath = ['provides', 'mcp'];

export function reportOutside(source: SourceText, given: string): void {
  const message = 'The file with MCP servers lies outside of the extension';
  const hint = 'give a path that starts in the folder of the manifest and stays in it, links included';
  source.report({ code: 'outside-extension', severity: 'error', message, given, hint }, mcpPath);
}
