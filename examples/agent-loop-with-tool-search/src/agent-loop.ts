import { anthropic } from '@x/mcp/models';
import type { RegistryView } from '@x/mcp-registry';
import type { ModelBlock, ModelMessage, ModelRequest } from './scripted-model.js';

export interface Loop {
  readonly tools: RegistryView;
  readonly task: string;
  readonly ask: (request: ModelRequest) => readonly ModelBlock[] | Promise<readonly ModelBlock[]>;
  /** Awaited before each request is sent. */
  readonly onRequest?: (request: ModelRequest) => Promise<void>;
}

// #region loop
/** Asks the model, runs the tools that it wants, tells it what came out, until it answers in words. */
export async function runAgent({ tools, task, ask, onRequest }: Loop): Promise<string> {
  const messages: ModelMessage[] = [{ role: 'user', content: task }];
  const api = anthropic(tools);
  for (;;) {
    const request = { tools: api.tools, messages };
    await onRequest?.(request);
    const blocks = await ask(request);
    messages.push({ role: 'assistant', content: blocks });

    const uses = blocks.filter((block) => block.type === 'tool_use');
    if (uses.length === 0) return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const results = await Promise.all(uses.map((use) => api.run(use)));
    messages.push({ role: 'user', content: results });
  }
}
// #endregion loop
