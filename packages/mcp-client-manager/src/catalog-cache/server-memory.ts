import { isRecord, parseJson } from '@x/internal/json';
import { isServerTool } from '../session/lists/list-tools.js';
import { isListEntry, type ServerLists } from '../session/lists/server-lists.js';
import type { ServerTool, SessionFacts } from '../session/session.js';

export interface ServerMemory {
  /** In milliseconds since 1970. */
  readonly savedAt: number;
  /** `era` saves the next start a round trip. */
  readonly facts: SessionFacts;
  readonly tools: readonly ServerTool[];
  readonly listedAt?: number | undefined;
  readonly isPartial?: boolean | undefined;
  readonly lists?: RememberedLists | undefined;
}

export type RememberedLists = {
  readonly [Method in keyof ServerLists]?: RememberedList<ServerLists[Method]> | undefined;
};

export interface RememberedList<Entry> {
  readonly savedAt: number;
  readonly items: readonly Entry[];
}

const format = 1;

export function writeMemory(memory: ServerMemory): string {
  return JSON.stringify({ format, ...memory });
}

export function readMemory(text: string): ServerMemory | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || value.format !== format || !Number.isFinite(value.savedAt)) return undefined;
  if (!isFacts(value.facts) || !Array.isArray(value.tools) || !value.tools.every(isServerTool)) return undefined;
  if (value.lists !== undefined && !isLists(value.lists)) return undefined;
  if (value.listedAt !== undefined && !Number.isFinite(value.listedAt)) return undefined;
  const { facts, tools, savedAt, listedAt, lists } = value as unknown as ServerMemory;
  return { savedAt, facts, tools, listedAt, isPartial: value.isPartial === true, lists };
}

function isLists(value: unknown): value is RememberedLists {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(([method, list]) => {
    if (!isRecord(list) || !Number.isFinite(list.savedAt) || !Array.isArray(list.items)) return false;
    return list.items.every((entry) => isListEntry(method, entry));
  });
}

function isFacts(value: unknown): value is SessionFacts {
  if (!isRecord(value) || !isRecord(value.capabilities)) return false;
  if (value.era !== 'legacy' && value.era !== 'modern') return false;
  return typeof value.protocolVersion === 'string';
}
