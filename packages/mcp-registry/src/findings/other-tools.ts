import { isRecord } from '@x/internal/json';
import type { ToolDefinition } from '../catalog/tool-view.js';
import type { FindingDraft } from './finding-draft.js';
import { describeOwner, type NameOwner, type OfferedNames } from './offered-names.js';
import type { ToolScan } from './scan-tool.js';
import type { ToolText } from './tool-texts.js';

const MAX_MENTIONS = 5;
/** Words that turn a mention into an order. */
const ORDER =
  /\b(?:instead of|rather than|before|first|always|must|never|do not|don['’]t|when(?:ever)?|only|required?|override|replace[sd]?|deprecated|broken)\b/i;
const NEAR = 100;

/** Mentions of other servers' tools, which can manipulate their use. */
export function findOtherTools(
  tool: ToolDefinition,
  { possibleNames }: ToolScan,
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
