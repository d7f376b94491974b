/** Recorded answers of the model, one for each request: a call of a tool, or pieces of text. */
export type Recording =
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly text: readonly string[] };

const note = { name: 'today', entityType: 'list', observations: ['Buy milk', 'Call Ada'] };

export const recordings: readonly Recording[] = [
  { tool: 'mcp__files__read_text_file', input: { path: 'today.md' } },
  { text: ['You want to ', 'buy milk', ' and call Ada.'] },
  { tool: 'mcp__memory__create_entities', input: { entities: [note] } },
  { text: ['I will ', 'remember it.'] },
  { tool: 'mcp__everything__get-tiny-image', input: {} },
  { text: ['A dark sign ', 'on white.'] },
  { tool: 'mcp__files__write_file', input: { path: 'today.md', content: '' } },
  { text: ['I have no tool ', 'that writes files.'] },
  { tool: 'mcp__everything__trigger-long-running-operation', input: { duration: 600, steps: 1 } },
];
