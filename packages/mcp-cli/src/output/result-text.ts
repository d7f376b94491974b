import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { messageOf } from '@x/internal/errors';
import type { ContentBlock, OtherContent, ResourceContents, ToolCallResult } from '@x/mcp-registry';
import { CommandError, exitCodes, type Io } from '../command.js';
import { printable } from './print.js';

/** Content that is no text appears by type and size, with the file that holds it. */
export function resultText({ content, structuredContent }: ToolCallResult, saved: SavedContent = new Map()): string {
  if (content.length > 0) return contentText(content, saved);
  return structuredContent === undefined ? '(no content)' : printable(JSON.stringify(structuredContent, null, 2));
}

export function contentText(content: readonly ContentBlock[], saved: SavedContent = new Map()): string {
  return content.map((block) => blockText(block, saved.get(block))).join('\n');
}

function blockText(block: ContentBlock, file: string | undefined): string {
  if (block.type === 'text') return printable(block.text);
  const inner: Partial<ResourceContents> = block.type === 'resource' ? block.resource : {};
  if (inner.text !== undefined) return printable(inner.text);
  const { type, data = inner.blob, mimeType = inner.mimeType, uri = inner.uri } = block as OtherContent;
  const facts = [mimeType, typeof data === 'string' ? sizeText(data) : undefined, uri];
  const summary = [type, ...facts.filter((fact) => typeof fact === 'string')].join(', ');
  return printable(`[${summary}]${file === undefined ? '' : ` saved as ${file}`}`).replaceAll('\n', ' ');
}

function sizeText(base64: string): string {
  return `${Buffer.byteLength(base64, 'base64')} bytes`;
}

interface SaveOptions {
  /** Prefix of the file names. */
  readonly name: string;
  /** Default: a new directory below the temporary one, readable by this user only. */
  readonly directory?: string | undefined;
}

/** Paths of files by the block whose data they contain. */
type SavedContent = ReadonlyMap<ContentBlock, string>;

/**
 * Writes images, audio and other binary data of a result to files. The names never come from the server, and existing
 * files are never replaced.
 *
 * @throws {CommandError} A file cannot be written.
 */
export async function saveContent(
  blocks: readonly ContentBlock[],
  { name, directory }: SaveOptions,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<SavedContent> {
  const binary = blocks.flatMap((block) => {
    const data = binaryOf(block);
    return data ? [{ block, ...data }] : [];
  });
  if (binary.length === 0) return new Map();
  try {
    const folder = directory === undefined ? await mkdtemp(join(tmpdir(), 'mcpx-')) : resolve(cwd, directory);
    await mkdir(folder, { recursive: true });
    const saved = new Map<ContentBlock, string>();
    for (const { block, bytes, extension } of binary) {
      saved.set(block, await writeNew(folder, safeName(name), extension, bytes));
    }
    return saved;
  } catch (error) {
    const reason = messageOf(error);
    throw new CommandError(exitCodes.failed, `The data of the result cannot be saved: ${reason}.`, {
      hint: 'The tool has run. Check if it had its effect before you call it again.',
      cause: error,
    });
  }
}

function binaryOf(block: ContentBlock): { readonly bytes: Buffer; readonly extension: string } | undefined {
  if (block.type === 'image' || block.type === 'audio') return decoded(block.data, block.mimeType);
  if (block.type !== 'resource' || block.resource.blob === undefined) return undefined;
  return decoded(block.resource.blob, block.resource.mimeType);
}

function decoded(base64: string, mimeType = ''): { readonly bytes: Buffer; readonly extension: string } {
  const extension = extensions.get(mimeType.toLowerCase().split(';', 1)[0]?.trim() ?? '') ?? 'bin';
  return { bytes: Buffer.from(base64, 'base64'), extension };
}

async function writeNew(folder: string, name: string, extension: string, bytes: Buffer): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${name}-${number}.${extension}`);
    try {
      await writeFile(path, bytes, { flag: 'wx' }); // does not follow links either
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number >= 10_000) throw error;
    }
  }
}

/** Begins with a letter or digit, so that no program reads it as an option or hides the file. */
function safeName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return safe.slice(0, 80) || 'result';
}

/** Types that nothing executes when opened; all others become `bin`. */
const extensions: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['image/avif', 'avif'],
  ['image/bmp', 'bmp'],
  ['image/tiff', 'tiff'],
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
  ['audio/ogg', 'ogg'],
  ['audio/flac', 'flac'],
  ['audio/aac', 'aac'],
  ['audio/mp4', 'm4a'],
  ['audio/webm', 'weba'],
  ['video/mp4', 'mp4'],
  ['video/webm', 'webm'],
  ['application/pdf', 'pdf'],
  ['application/zip', 'zip'],
  ['application/gzip', 'gz'],
  ['application/json', 'json'],
  ['text/plain', 'txt'],
  ['text/csv', 'csv'],
  ['text/markdown', 'md'],
]);
