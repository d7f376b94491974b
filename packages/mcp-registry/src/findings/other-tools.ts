import { isRecord } from '@x/internal/json';
import type { ToolDefinition } from '../catalog/tool-view.js';
import { describeOwner, type NameOwner, type OfferedNames } from './look-alike-names.js';
import type { FindingDraft } from './tool-finding.js';
import type { ToolText } from './tool-texts.js';

const MAX_MENTIONS = 5;
/** Words that turn a mention into an order. */
const ORDER =
  /\b(?:instead of|rather than|before|first|always|must|never|do not|don['’]t|when(?:ever)?|only|required?|override|replace[sd]?|deprecated|broken)\b/i;
const NEAR = 100;

/** Mentions of other servers' tools, which can manipulate their use. */
export function findOtherTools(
  tool: ToolDefinition,
  { possibleNames }: { readonly possibleNames: readonly PossibleName[] },
  { server, names }: { readonly server: string; readonly names: OfferedNames },
): readonly FindingDraft[] {
  const mentioned = new Set<string>();
  const drafts: FindingDraft[] = [];
  for (const { word, at, text } of possibleNames) {
    const owner = foreignOwner(word, server, names);
    if (owner === undefined || mentioned.has(word) || isParameter(word, tool)) continue;
    mentioned.add(word);
    drafts.push(toDraft(owner, text, at));
    if (drafts.length === MAX_MENTIONS) break;
  }
  return drafts;
}

/** `undefined` if the tool's own server has such a tool. */
function foreignOwner(word: string, server: string, names: OfferedNames): NameOwner | undefined {
  const owners = names.get(word);
  if (owners === undefined || owners.some((owner) => owner.server === server)) return undefined;
  return owners[0];
}

function isParameter(word: string, { inputSchema }: ToolDefinition): boolean {
  return isRecord(inputSchema.properties) && Object.hasOwn(inputSchema.properties, word);
}

function toDraft(other: NameOwner, { field, text, excerpt }: ToolText, at: number): FindingDraft {
  const isOrdered = ORDER.test(text.slice(Math.max(0, at - NEAR), at + NEAR));
  return {
    code: 'names-other-tool',
    severity: isOrdered ? 'high' : 'medium',
    field,
    what: `the name of the tool ${describeOwner(other)}`,
    at,
    excerpt: excerpt(at),
    other,
  };
}

/** A word in prose that may be the name of a tool. */
export interface PossibleName {
  readonly word: string;
  readonly at: number;
  readonly text: ToolText;
}

/** `read_file`, `read-file` or `readFile`. Single words are too common. */
const NAME_OF_PARTS =
  /(?<![\w-])(?:_{0,3}[A-Za-z0-9]{1,40}(?:[_-]{1,3}[A-Za-z0-9]{1,40}){1,10}_{0,3}|[a-z0-9]{1,40}(?:[A-Z][a-z0-9]{1,40}){1,10})(?![\w-])/g;

export function findPossibleNames(texts: readonly ToolText[]): readonly PossibleName[] {
  return texts.flatMap((text) => {
    if (!text.isProse) return [];
    return Array.from(text.text.matchAll(NAME_OF_PARTS), ({ 0: word, index: at }) => ({ word, at, text }));
  });
}
