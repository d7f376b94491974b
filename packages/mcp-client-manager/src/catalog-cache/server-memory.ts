import { isRecord, parseJson } from '@x/internal/json';
import { isServerTool } from '../session/list-tools.js';
import { isListEntry, type ServerLists } from '../session/server-lists.js';
import type { ServerTool, SessionFacts } from '../session/session.js';

/** What is known of one launch from the last time that it worked. */
export interface ServerMemory {
  /** When the launch was last ready, in milliseconds since 1970. */
  readonly savedAt: number;
  /** What the server said in its handshake; its `era` saves the next start a round trip. */
  readonly facts: SessionFacts;
  /** The tools that it listed last. */
  readonly tools: readonly ServerTool[];
  /** When it listed them, in milliseconds since 1970; absent when it never has. */
  readonly listedAt?: number | undefined;
  /** Present when the list was cut short. */
  readonly isPartial?: boolean | undefined;
  /** Its other lists, as far as somebody has asked for them. */
  readonly lists?: RememberedLists | undefined;
}

export type RememberedLists = {
  readonly [Method in keyof ServerLists]?: RememberedList<ServerLists[Method]> | undefined;
};

export interface RememberedList<Entry> {
  /** When the server sent it, in milliseconds since 1970. */
  readonly savedAt: number;
  readonly items: readonly Entry[];
}

const format = 1;

export function writeMemory(memory: ServerMemory): string {
  return JSON.stringify({ format, ...memory });
}

/** Reads what `writeMemory` wrote; `undefined` for anything else, whoever wrote it. */
export function readMemory(text: string): ServerMemory | undefined {
  const value = parseJson(text); // a half-written file, or a foreign one, counts as none
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
