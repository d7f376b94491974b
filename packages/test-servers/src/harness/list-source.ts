import type {
  SourceCallOptions,
  SourceToolResult,
  ToolArguments,
  ToolCallResult,
  ToolSource,
  ToolSourceState,
} from '@x/internal/contracts';

/** Source with tools that a test sets, with change notifications. */
export interface ListSource extends ToolSource {
  /** All received calls. */
  readonly calls: readonly { tool: string; args: ToolArguments; options: SourceCallOptions }[];
  readonly listings: number;
  readonly listeners: number;
  state: ToolSourceState;
  offer(tools: readonly unknown[]): void;
  announce(): void;
  /** Replaces the offered tools in the next listings. */
  answerWith(answer: ((signal: AbortSignal | undefined) => Promise<readonly unknown[]>) | undefined): void;
}

export function createListSource(
  name: string,
  tools: readonly unknown[] = [],
  callTool: (tool: string, args: ToolArguments, options: SourceCallOptions) => Promise<SourceToolResult> = async (
    tool,
  ) => textResult(`${name} ran ${tool}`),
): ListSource {
  const listeners = new Set<() => void>();
  const calls: { tool: string; args: ToolArguments; options: SourceCallOptions }[] = [];
  let offered = tools;
  let answer: ((signal: AbortSignal | undefined) => Promise<readonly unknown[]>) | undefined;
  let listings = 0;

  const source: ListSource = {
    name,
    state: 'running',
    calls,
    get listings() {
      return listings;
    },
    get listeners() {
      return listeners.size;
    },
    async listTools({ signal }) {
      listings++;
      return (await (answer ?? (async () => offered))(signal)) as never;
    },
    callTool(tool, args, options) {
      calls.push({ tool, args, options });
      return callTool(tool, args, options);
    },
    onToolsChanged(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    offer(next) {
      offered = next;
      source.announce();
    },
    announce() {
      for (const listener of listeners) listener();
    },
    answerWith(next) {
      answer = next;
    },
  };
  return source;
}

export function tool(name: string, more: Record<string, unknown> = {}) {
  return { name, description: `Does ${name}`, inputSchema: { type: 'object' }, ...more };
}

export function textResult(text: string): ToolCallResult {
  return { content: [{ type: 'text', text }] };
}

export function textOf(result: SourceToolResult): string {
  return String(result.content[0]?.text);
}
