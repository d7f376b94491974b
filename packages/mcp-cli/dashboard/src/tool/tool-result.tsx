import { isRecord } from '@x/internal/json';
import type { ContentBlock, ToolCallResult } from '@x/mcp-registry';
import { useMemo, useState } from 'preact/hooks';
import type { Json } from '../../../src/call-words/schema-types.js';
import { foreignLine } from '../foreign-text-parts.js';
import { faultsOf } from '../form/check-arguments.js';
import { formatBytes, formatCount } from '../format.js';
import { CopyText } from '../parts/copy-text.js';
import { ForeignText } from '../parts/foreign-text.js';
import { JsonTree } from '../parts/json-tree.js';
import { bytesOf, checkedMedia, hexLines } from './checked-media.js';

const maxBlocks = 100;
const maxTextLength = 200_000;
const maxFaults = 20;

interface ToolResultProps {
  readonly result: ToolCallResult;
  /** Of the tool as it is now. */
  readonly outputSchema: Json | undefined;
}

/** The answer of a tool. All of it is untrusted. */
export function ToolResult({ result, outputSchema }: ToolResultProps) {
  const { content, structuredContent, isError } = result;
  const [isRaw, setRaw] = useState(false);
  return (
    <div class="result">
      <div class="chips">
        <button type="button" class="chip" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
          Answer
        </button>
        <button type="button" class="chip" aria-pressed={isRaw} onClick={() => setRaw(true)}>
          As JSON
        </button>
      </div>
      {isRaw && <CopyText label="The result as JSON" text={JSON.stringify(result, null, 2)} />}
      {!isRaw && content.length === 0 && structuredContent === undefined && <p class="note">It has no content.</p>}
      {!isRaw && content.slice(0, maxBlocks).map((block, index) => <Block key={index} block={block} />)}
      {!isRaw && content.length > maxBlocks && (
        <p class="note">{content.length - maxBlocks} more parts are not shown.</p>
      )}
      {!isRaw && structuredContent !== undefined && (
        <Structured value={structuredContent} outputSchema={isError ? undefined : outputSchema} />
      )}
    </div>
  );
}

/**
 * The daemon has checked it against the schema of then: a result that does not fit is a failure. Faults are due to a
 * schema that changed since, or to secrets that are masked.
 */
function Structured({ value, outputSchema }: { readonly value: unknown; readonly outputSchema: Json | undefined }) {
  const faults = useMemo(() => {
    if (!outputSchema || JSON.stringify(value).includes('***')) return [];
    return [...faultsOf(outputSchema, value)];
  }, [outputSchema, value]);
  const fits = faults.length === 0;
  return (
    <div class="block">
      <p class="block-head">
        <strong>Structured content</strong>
        {outputSchema !== undefined && (
          <span class={`badge badge-${fits ? 'good' : 'warn'}`}>
            {fits ? '✓ fits its schema' : '! does not fit its schema, which has changed since'}
          </span>
        )}
      </p>
      {!fits && (
        <ul class="error" aria-label="Faults of the structured content">
          {faults.slice(0, maxFaults).map(([path, text]) => (
            <li key={path}>
              ✕ <ForeignText text={`${path || 'All of it'} ${text}`} maxLength={500} />
            </li>
          ))}
        </ul>
      )}
      <JsonTree value={value} label="Structured content" />
    </div>
  );
}

/** One part of an answer or of a prompt's message. */
export function Block({ block }: { readonly block: ContentBlock }) {
  const { type, text, data, mimeType, resource }: Json = { ...block };
  if (type === 'text' && typeof text === 'string') return <Text text={text} />;
  if (type === 'image' || type === 'audio') return <Media mimeType={mimeType} data={data} />;
  if (type === 'resource' && isRecord(resource)) return <Resource resource={resource} />;
  if (type === 'resource_link') return <ResourceLink link={{ ...block }} />;
  return (
    <div class="block">
      <JsonTree value={block} label="Other content" />
    </div>
  );
}

/** Text that is a JSON object or list is a tree, too. */
function Text({ text }: { readonly text: string }) {
  const json = /^\s*[[{]/.test(text) && text.length < 5_000_000 ? parsed(text) : undefined;
  const [isTree, setTree] = useState(true);
  return (
    <div class="block">
      <p class="block-head">
        <strong>Text</strong>
        <span class="note">{formatCount(text.length)} characters</span>
        {json !== undefined && (
          <button type="button" class="small" onClick={() => setTree(!isTree)}>
            {isTree ? 'As it is' : 'As a tree'}
          </button>
        )}
      </p>
      {json !== undefined && isTree ? (
        <JsonTree value={json} label="Text" />
      ) : (
        <div class="text">
          <ForeignText text={text} links maxLength={maxTextLength} />
        </div>
      )}
    </div>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function Media({ mimeType, data }: { readonly mimeType: unknown; readonly data: unknown }) {
  const media = checkedMedia(mimeType, data);
  const size = typeof data === 'string' ? formatBytes(bytesOf(data)) : 'no data';
  const about = `${foreignLine(String(mimeType ?? 'no type'), 80)}, ${size}`;
  return (
    <div class="block">
      <p class="block-head">
        <strong>{media?.kind === 'audio' ? 'Sound' : media ? 'Image' : 'Data'}</strong>
        <span class="note">{about}</span>
      </p>
      {media?.kind === 'image' && <img src={media.url} alt={`Sent by the tool: ${about}`} />}
      {/* biome-ignore lint/a11y/useMediaCaption: tools send no captions. */}
      {media?.kind === 'audio' && <audio controls src={media.url} aria-label={`Sent by the tool: ${about}`} />}
      {!media && (
        <p class="note">It is shown as bytes. Shown as such are PNG, JPEG, GIF, WebP, WAV, MP3, Ogg and FLAC.</p>
      )}
      {!media && typeof data === 'string' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
        // biome-ignore lint/a11y/useSemanticElements: a section would not keep the lines as they are.
        <pre role="group" aria-label="The first bytes" tabIndex={0}>
          {hexLines(data).join('\n')}
        </pre>
      )}
    </div>
  );
}

/** The contents of a resource. */
export function Resource({ resource: { uri, text, blob, mimeType } }: { readonly resource: Json }) {
  return (
    <>
      <div class="block">
        <p class="block-head">
          <strong>Resource</strong>
          <code>
            <ForeignText text={String(uri ?? '')} links maxLength={2_000} />
          </code>
        </p>
      </div>
      {typeof text === 'string' ? <Text text={text} /> : <Media mimeType={mimeType} data={blob} />}
    </>
  );
}

function ResourceLink({ link: { name, title, uri, description, mimeType, size } }: { readonly link: Json }) {
  const facts = [mimeType, typeof size === 'number' ? formatBytes(size) : undefined].filter(
    (fact) => fact !== undefined,
  );
  return (
    <div class="block">
      <p class="block-head">
        <strong>
          <ForeignText text={String(title ?? name ?? 'Resource')} maxLength={500} />
        </strong>
        <span class="note">{foreignLine(facts.join(', '))}</span>
      </p>
      <code>
        <ForeignText text={String(uri ?? '')} links maxLength={2_000} />
      </code>
      {typeof description === 'string' && (
        <p class="note">
          <ForeignText text={description} maxLength={2_000} />
        </p>
      )}
    </div>
  );
}
