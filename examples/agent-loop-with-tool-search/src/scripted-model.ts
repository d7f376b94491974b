import type { AnthropicTool, AnthropicToolResult, AnthropicToolUse } from '@x/mcp/models';

/** What one request to the model holds, in the shape of the Messages API. */
export interface ModelRequest {
  readonly tools: readonly AnthropicTool[];
  readonly messages: readonly ModelMessage[];
}

export type ModelMessage =
  | { readonly role: 'user'; readonly content: string | readonly AnthropicToolResult[] }
  | { readonly role: 'assistant'; readonly content: readonly ModelBlock[] };

export type ModelBlock =
  | { readonly type: 'text'; readonly text: string }
  | ({ readonly type: 'tool_use' } & AnthropicToolUse);

/** Something the model wants done: in which words it asks for a tool, and what it knows by then, by names of arguments. */
export interface Want {
  readonly query: string;
  readonly knows: (learned: readonly string[]) => Readonly<Record<string, unknown>>;
}

interface Found {
  readonly name: string;
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/**
 * Stands in for a language model, so that this runs without one. What it wants is written down in advance; which tools
 * there are it learns from search results alone, and it takes the first one whose arguments it knows.
 */
export class ScriptedModel {
  readonly #wants: readonly Want[];
  readonly #answer: (learned: readonly string[]) => string;
  readonly #learned: string[] = [];
  #calls = 0;

  constructor(wants: readonly Want[], answer: (learned: readonly string[]) => string) {
    this.#wants = wants;
    this.#answer = answer;
  }

  respond({ messages }: ModelRequest): readonly ModelBlock[] {
    const asked = lastUse(messages);
    const told = lastResult(messages);
    if (asked?.name === 'search_mcp_tools') return [this.#pick(told.split('\n').flatMap(readLine))];
    if (asked?.name === 'call_mcp_tool') this.#learned.push(told);

    const want = this.#wants[this.#learned.length];
    if (want === undefined) return [{ type: 'text', text: this.#answer(this.#learned) }];
    return [this.#use('search_mcp_tools', { query: want.query })];
  }

  #pick(found: readonly Found[]): ModelBlock {
    const known = this.#wants[this.#learned.length]?.knows(this.#learned) ?? {};
    const fitting = found.find(({ required }) => required.every((name) => name in known));
    if (fitting === undefined) throw new Error(`No tool can be called with ${Object.keys(known)}`);
    const takes = [...fitting.required, ...fitting.optional];
    const args = Object.fromEntries(Object.entries(known).filter(([name]) => takes.includes(name)));
    return this.#use('call_mcp_tool', { name: fitting.name, arguments: args });
  }

  #use(name: string, input: object): ModelBlock {
    this.#calls += 1;
    return { type: 'tool_use', id: `call-${this.#calls}`, name, input };
  }
}

/** Reads `name(a: string, b?: { c: number }): purpose`. */
function readLine(line: string): readonly Found[] {
  const [, name, parameters] = /^([\w-]+)\((.*?)\)(?:: | \[|$)/.exec(line) ?? [];
  if (name === undefined || parameters === undefined) return [];
  const flat = parameters.replace(/\{.*?\}/g, 'object');
  const names = flat.split(', ').map((part) => part.replace(/:.*/, ''));
  return [
    {
      name,
      required: names.filter((each) => /^\w+$/.test(each)),
      optional: names.filter((each) => each.endsWith('?')).map((each) => each.slice(0, -1)),
    },
  ];
}

function lastUse(messages: readonly ModelMessage[]): AnthropicToolUse | undefined {
  const message = messages.findLast(({ role }) => role === 'assistant');
  return message?.role === 'assistant' ? message.content.find((block) => block.type === 'tool_use') : undefined;
}

function lastResult(messages: readonly ModelMessage[]): string {
  const content = messages.at(-1)?.content;
  if (typeof content !== 'object') return '';
  return content
    .flatMap((block) => ('content' in block ? block.content : []))
    .map((part) => ('text' in part ? part.text : ''))
    .join('\n');
}
