import type { McpServer } from '@modelcontextprotocol/server';
import { watchedUri } from './resources.js';
import { text, textResult } from './sample-data.js';

/** Lifetime of a server: one request of revision 2026-07-28, or a connection of either era. */
export type Served = 'request' | 'legacy-connection' | 'modern-connection';

type Change = { readonly list: 'tools' | 'prompts' } | { readonly uri: string };

/** Changing state that all connections share. */
export class Changes {
  /** The currently listed extra entries. */
  readonly listed = { tools: false, prompts: false };
  readonly #listeners = new Set<(change: Change) => void>();

  /** Calls `listener` after each change until the returned function is called. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Adds the extra entry to a list, or removes it. */
  toggle(list: 'tools' | 'prompts'): void {
    this.listed[list] = !this.listed[list];
    this.#notify({ list });
  }

  touch(uri: string): void {
    this.#notify({ uri });
  }

  #notify(change: Change): void {
    for (const listener of [...this.#listeners]) listener(change);
  }
}

/** Registers triggers of changes, and the entries that they add and remove. */
export function addChangingEntries(server: McpServer, changes: Changes, { serves }: { serves: Served }): void {
  const trigger = (name: string, description: string, change: () => void) =>
    server.registerTool(name, { description }, () => {
      change();
      return textResult('Changed');
    });
  trigger('test_trigger_tool_change', 'Changes the list of tools', () => changes.toggle('tools'));
  trigger('test_trigger_prompt_change', 'Changes the list of prompts', () => changes.toggle('prompts'));
  trigger('test_trigger_resource_change', 'Changes the watched resource', () => changes.touch(watchedUri));

  const tool = server.registerTool('test_extra_tool', { description: 'Comes and goes' }, () =>
    textResult('Still here'),
  );
  const prompt = server.registerPrompt('test_extra_prompt', { description: 'Comes and goes' }, () => ({
    messages: [{ role: 'user', content: text('Still here') }],
  }));
  if (!changes.listed.tools) tool.disable();
  if (!changes.listed.prompts) prompt.disable();
  if (serves === 'request') return;
  const isWatched = serves === 'legacy-connection' ? watch(server) : () => true; // since 2026-07-28 the SDK tracks subscriptions
  follow(server, changes, { entries: { tools: tool, prompts: prompt }, isWatched });
}

interface Switch {
  enable(): void;
  disable(): void;
}

/** Tracks the subscriptions of a session's client. */
function watch(server: McpServer): (uri: string) => boolean {
  const subscribed = new Set<string>();
  server.server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  return (uri) => subscribed.has(uri);
}

interface Followed {
  readonly entries: Record<'tools' | 'prompts', Switch>;
  isWatched(uri: string): boolean;
}

/** Applies changes to a long-lived server, which notifies its client. */
function follow(server: McpServer, changes: Changes, { entries, isWatched }: Followed): void {
  const stop = changes.listen((change) => {
    if ('list' in change) {
      if (changes.listed[change.list]) entries[change.list].enable();
      else entries[change.list].disable();
    } else if (isWatched(change.uri)) {
      // The client may have left.
      server.server.sendResourceUpdated({ uri: change.uri }).catch(() => undefined);
    }
  });
  server.server.onclose = stop;
}
